#!/usr/bin/env bash
# The reader's own recordings.
# shellcheck source=tests/cli/docs/recordings.bash
. "$SOURCE_DIR/tests/cli/docs/recordings.bash"
