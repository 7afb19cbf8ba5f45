# Runs a PostgreSQL cluster for as long as standard input stays open, in a folder that is gone with
# it. Prints the folder of its socket once it takes connections; an empty line and the reason where
# it never will. $1: the folder of the server's programs.
set -eu
PATH="$1:$PATH"
export LC_ALL=C
# In memory where a gigabyte is free there: each database is some six hundred files, and on a disk
# most of a test's time goes into making them.
place=/tmp
free_kib=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ -w /dev/shm ] && [ "${free_kib:-0}" -gt 1048576 ]; then place=/dev/shm; fi
folder=$(mktemp -d "$place/rankrate-postgres.XXXXXX")
server=
fail() {
    echo
    cat "$folder/log"
    exit 1
}
stop() {
    trap - EXIT INT TERM HUP
    if [ -n "$server" ]; then
        kill -QUIT "$server" 2>/dev/null || :
        wait "$server" || :
    fi
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP
initdb -D "$folder/data" -U postgres --auth=trust --encoding=UTF8 --locale=C --no-sync \
    >"$folder/log" 2>&1 || fail
postgres -D "$folder/data" -k "$folder" -c listen_addresses= -c max_connections=400 \
    -c fsync=off -c full_page_writes=off >"$folder/log" 2>&1 </dev/null &
server=$!
until pg_isready -q -h "$folder"; do
    kill -0 "$server" 2>/dev/null || fail
    sleep 0.05
done
echo "$folder"
# Ends with the process that holds the other end, however that ends.
read -r _ || :
