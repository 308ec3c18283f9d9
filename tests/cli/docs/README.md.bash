# The reader's own recordings.
. "$here/docs/recordings.bash"
