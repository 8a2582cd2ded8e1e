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
/** The exit code for files in Git LFS on a machine without git-lfs. */
export const NO_LFS = 45;

/**
 * Fetches the files of a commit that are in Git LFS. The server is that of the repository, or the one that its
 * `.lfsconfig` names; git-lfs does not read that file in a bare repository, and would take other settings from it.
 */
const FETCH_LFS = `
fetch_lfs() {
  command -v git-lfs >/dev/null || exit ${NO_LFS}
  own=$(g config --blob "$commit:.lfsconfig" --get lfs.url 2>/dev/null || true)
  case $own in
    https://*|http://*) g -c "lfs.url=$own" lfs fetch "$url" "$commit" ;;
    *) g lfs fetch "$url" "$commit" ;;
  esac >/dev/null
}`;

/**
 * Fetches a commit into a bare repository; with `full`, all branches and tags, too; with `lfs`, its files in Git LFS.
 * The server is not contacted if `local` is yes and the commit is present. Old servers do not send a commit by its
 * name: then all branches and tags are fetched. Unused objects are removed from time to time, because the repository is
 * kept.
 */
export const FETCH = `
GIT_DIR=$1 format=$2 mode=$3 url=$4 commit=$5 keep=$6 local=$7 lfs=$8
export GIT_DIR
${GIT}
${FETCH_LFS}
has() { g cat-file -e "$commit^{commit}" 2>/dev/null; }
all() { g fetch --quiet --force --no-tags --prune -- "$url" '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*'; }
${INIT}
if [ "$local" = yes ] && has; then
  if [ "$lfs" = yes ]; then fetch_lfs; fi
  exit 0
fi
if [ "$mode" = full ]; then
  all
  has || g fetch --quiet --no-tags -- "$url" "$commit" 2>/dev/null || exit ${NO_SUCH_COMMIT}
else
  g fetch --quiet --depth=1 --no-tags -- "$url" "$commit" 2>/dev/null || all
fi
has || exit ${NO_SUCH_COMMIT}
if [ "$lfs" = yes ]; then fetch_lfs; fi
if [ -n "$keep" ]; then
  g update-ref "$keep" "$commit"
  git -c gc.auto=2000 -c gc.autoPackLimit=30 -c gc.autoDetach=false gc --auto --quiet
fi`;

/** Copies a commit, and with `full` all branches and tags, and with `lfs` its files in Git LFS, from a clone on this
 * machine. */
export const TAKE = `
GIT_DIR=$1 format=$2 mode=$3 clone=$4 commit=$5 lfs=$6
export GIT_DIR
${GIT}
${INIT}
if [ "$mode" = full ]; then
  g fetch --quiet --force --no-tags -- "$clone" '+refs/remotes/origin/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*' "$commit"
else
  g fetch --quiet --depth=1 --no-tags -- "$clone" "$commit"
fi
if [ "$lfs" = yes ]; then
  mkdir -p "$GIT_DIR/lfs/objects"
  GIT_DIR=$clone g lfs ls-files --long "$commit" |
    awk '{ print substr($1, 1, 2) "/" substr($1, 3, 2) "/" $1 }' |
    tar -C "$clone/lfs/objects" -cf - -T - | tar -C "$GIT_DIR/lfs/objects" -xf -
fi`;

/** An empty repository. */
export const EMPTY = `
GIT_DIR=$1 format=$2
export GIT_DIR
${GIT}
${INIT}`;

export const shell = (script: string,
  ...args: readonly string[]): string[] => ['/bin/sh', '-eu', '-c', script, 'sh', ...args];
