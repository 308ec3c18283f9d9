#!/usr/bin/env bash
# Makes plot.js, the chart library of the page, anew from npm's packages, which package-lock.json names by version and hash.
# Building the program does not need this, nor npm. Another version: change package.json, `npm install --package-lock-only` here;
# afterwards look at the page in a browser and run `ctest -L html`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
folder=$(mktemp -d) # an absolute path
trap 'rm -rf "$folder"' EXIT

cp package.json package-lock.json "$folder/"
npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts --loglevel=error
plot=$(node -p 'require(process.argv[1]).version' "$folder/node_modules/@observablehq/plot/package.json")
cp plot-entry.js "$folder/entry.js"
"$folder/node_modules/.bin/esbuild" "$folder/entry.js" --bundle --minify --charset=ascii --format=iife --global-name=Plot \
    --target=es2020 --legal-comments=none --metafile="$folder/meta.json" --outfile="$folder/bundle.js" --log-level=error

# Every package in the bundle with its version and its licence in full goes in front of it.
{
    echo "/*"
    echo "Observable Plot $plot and what it needs of D3, bundled by src/figures/page/refresh.sh of cotenant; not changed otherwise."
    node -e '
        const { readFileSync } = require("fs");
        const meta = JSON.parse(readFileSync(process.argv[1]));
        const parts = Object.entries(Object.values(meta.outputs)[0].inputs).filter(([, part]) => part.bytesInOutput > 0);
        const packages = parts.map(([file]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]).filter(Boolean);
        console.log([...new Set(packages)].sort().join("\n"));' "$folder/meta.json" | while IFS= read -r package; do
        echo
        echo "==== $package $(node -p 'require(process.argv[1]).version' "$folder/node_modules/$package/package.json")"
        cat "$folder/node_modules/$package"/LICENSE*
    done
    echo "*/"
    cat "$folder/bundle.js"
} >"$folder/plot.js"
if grep -qiE '</script|<!--' "$folder/plot.js"; then
    echo "refresh.sh: the bundle holds markup that ends a script element" >&2
    exit 1
fi
mv "$folder/plot.js" plot.js
ls -l plot.js
