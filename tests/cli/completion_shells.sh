#!/usr/bin/env bash
# The completions of fish and zsh offer commands, choices, names and options, as these shells themselves would ask for them.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export SOURCE_DIR
tried=0
: >mix.json

# expect SHELL TYPED GOT EXPECTED
expect() {
    [ "$3" = "$4" ] || fail "$1 makes '$3' of '$2' instead of '$4'"
}

# What is typed, and what is offered in its place.
cat >asked <<'EOF'
cotenant che|check
cotenant run --fid|--fidelity
cotenant run --fidelity b|block
cotenant run mix|mix.json
cotenant list pol|policies
cotenant show g|gpu
cotenant run -p baymax-pl|baymax-plus
cotenant compare --policies mps,baymax-pl|mps,baymax-plus
cotenant exercise das|dase
EOF

if command -v fish >/dev/null; then
    tried=$((tried + 1))
    while IFS='|' read -r typed expected; do
        got=$(fish --no-config -c "source $SOURCE_DIR/share/completion/cotenant.fish; complete -C'$typed'" | cut -f1 | paste -sd' ')
        expect fish "$typed" "$got" "$expected"
    done <asked
fi

# A line editor on a terminal of its own: a key completes the next line of `asked` and writes what became of it.
if command -v zsh >/dev/null; then
    tried=$((tried + 1))
    cut -d'|' -f1 asked >typed
    cat >editor <<'EOF'
autoload -U compinit && compinit -D -u
source $SOURCE_DIR/share/completion/_cotenant
exec 3<typed
next() {
    read -r -u 3 BUFFER
    CURSOR=$#BUFFER
    zle complete-word
    print -r -- "$BUFFER" >>completed
}
zle -N next
bindkey '^T' next
print ready >completed
EOF
    cat >driver <<'EOF'
zmodload zsh/zpty
lines() { local all=("${(@f)$(<completed)}") 2>/dev/null; print $#all }
reached() { local try; for try in {1..600}; do (($(lines) >= $1)) && return; sleep 0.1; done; return 1 }
: >completed
zpty shell zsh -f -i
zpty -w shell 'source ./editor'
for n in {1..10}; do
    reached $n || break
    sleep 0.2 # until the prompt is there
    zpty -w -n shell $'\C-t'
done
zpty -d shell
EOF
    zsh -f driver
    while IFS='|' read -r typed expected && IFS= read -r completed <&4; do
        completed=${completed%[ =,]} # which the next key may take back
        expect zsh "$typed" "${completed##* }" "$expected"
    done <asked 4< <(tail -n +2 completed)
    [ "$(wc -l <completed)" -gt "$(wc -l <asked)" ] || fail "zsh completed only $(wc -l <completed) lines"
fi
[ "$tried" -gt 0 ] || { echo "neither fish nor zsh is here"; exit 77; }
[ "$failures" -eq 0 ]
