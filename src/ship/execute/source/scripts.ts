/*
 * What git does, as scripts of a shell: one process of this ship's for several of git's. Everything that comes from
 * outside is an argument of the script, never a part of its text, and follows `--` or is checked before.
 */

const GIT =
  'g() { git -c core.hooksPath=/dev/null -c advice.detachedHead=false -c gc.auto=0 -c protocol.version=2 "$@"; }';

const INIT = `
[ -d "$GIT_DIR/objects" ] || g init --quiet --bare --template= --object-format="$format" "$GIT_DIR"`;

/** The exit code for a commit that the server does not have. */
export const NO_SUCH_COMMIT = 44;

/**
 * Fetches a commit into a bare repository; with `full`, all branches and tags, too. The server is not contacted if
 * `local` is yes and the commit is present. Old servers do not send a commit by its name: then all branches and tags
 * are fetched. Unused objects are removed from time to time, because the repository is kept.
 */
export const FETCH = `
GIT_DIR=$1 format=$2 mode=$3 url=$4 commit=$5 keep=$6 local=$7
export GIT_DIR
${GIT}
has() { g cat-file -e "$commit^{commit}" 2>/dev/null; }
all() { g fetch --quiet --force --no-tags --prune -- "$url" '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*'; }
${INIT}
if [ "$local" = yes ] && has; then exit 0; fi
if [ "$mode" = full ]; then
  all
  has || g fetch --quiet --no-tags -- "$url" "$commit" 2>/dev/null || exit ${NO_SUCH_COMMIT}
else
  g fetch --quiet --depth=1 --no-tags -- "$url" "$commit" 2>/dev/null || all
fi
has || exit ${NO_SUCH_COMMIT}
if [ -n "$keep" ]; then
  g update-ref "$keep" "$commit"
  git -c gc.auto=2000 -c gc.autoPackLimit=30 -c gc.autoDetach=false gc --auto --quiet
fi`;

/** Copies a commit, and with `full` all branches and tags, from a clone on this machine. */
export const TAKE = `
GIT_DIR=$1 format=$2 mode=$3 clone=$4 commit=$5
export GIT_DIR
${GIT}
${INIT}
if [ "$mode" = full ]; then
  g fetch --quiet --force --no-tags -- "$clone" '+refs/remotes/origin/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*' "$commit"
else
  g fetch --quiet --depth=1 --no-tags -- "$clone" "$commit"
fi`;

/** An empty repository. */
export const EMPTY = `
GIT_DIR=$1 format=$2
export GIT_DIR
${GIT}
${INIT}`;

export const shell = (script: string,
  ...args: readonly string[]): string[] => ['/bin/sh', '-eu', '-c', script, 'sh', ...args];
