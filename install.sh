#!/bin/sh
# Installs cua-driver from a release folder or archive into a prefix of the user's; no root.
#
#   ./install.sh [--from FOLDER|ARCHIVE.tar.gz] [--prefix DIR] [--sha256 SUM]
#   ./install.sh --uninstall [--prefix DIR]
#
# Without --from: the folder this script lies in. An archive is held against --sha256, or against
# ARCHIVE.sha256 beside it; every file of the folder against its SHA256SUMS. Installing again
# upgrades; a failed installation leaves the old one as it was. There is no download server yet.
set -eu

prefix=${CUA_DRIVER_PREFIX:-$HOME/.local}
from='' sum='' uninstall='' tmp='' new=''

die() { echo "install.sh: $*" >&2; exit 1; }
usage() { sed -n '2,10s/^# \{0,1\}//p' "$0"; }
clean() { [ -z "$tmp" ] || rm -rf -- "$tmp"; [ -z "$new" ] || rm -rf -- "$new"; }
trap clean EXIT
trap 'exit 130' INT TERM

while [ $# -gt 0 ]; do
  case $1 in
    --from) [ $# -gt 1 ] || die '--from takes a folder or an archive'; from=$2; shift 2 ;;
    --prefix) [ $# -gt 1 ] || die '--prefix takes a directory'; prefix=$2; shift 2 ;;
    --sha256) [ $# -gt 1 ] || die '--sha256 takes a checksum'; sum=$2; shift 2 ;;
    --uninstall) uninstall=1; shift ;;
    -h|--help) usage; exit 0 ;;
    *) die "unknown argument $1; see $0 --help" ;;
  esac
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
lib=$prefix/lib/cua-driver
bin=$prefix/bin/cua-driver

# The folder is ours only when it carries our list of files.
ours() { [ -f "$lib/.installed" ]; }
stop_running() {
  if [ -x "$bin" ] && "$bin" status >/dev/null 2>&1; then
    echo 'ending the running driver'
    "$bin" stop >/dev/null 2>&1 || echo 'it did not end; end it with cua-driver stop' >&2
  fi
}

if [ -n "$uninstall" ]; then
  if ! ours; then
    [ ! -e "$lib" ] || die "$lib was not made by this installer; nothing is removed"
    echo "cua-driver is not installed in $prefix"; exit 0
  fi
  stop_running
  rm -f -- "$bin"
  rm -rf -- "$lib"
  rmdir "$prefix/bin" "$prefix/lib" 2>/dev/null || true
  echo "removed cua-driver from $prefix (configuration and recordings stay)"
  exit 0
fi

command -v sha256sum >/dev/null 2>&1 && check='sha256sum' || { command -v shasum >/dev/null 2>&1 && check='shasum -a 256' || die 'neither sha256sum nor shasum is installed'; }

[ -n "$from" ] || from=$(cd "$(dirname "$0")" && pwd)
if [ -f "$from" ]; then
  if [ -z "$sum" ]; then
    [ -f "$from.sha256" ] || die "no checksum: pass --sha256, or put $from.sha256 beside the archive"
    sum=$(cut -d' ' -f1 <"$from.sha256")
  fi
  is=$($check "$from" | cut -d' ' -f1)
  [ "$is" = "$sum" ] || die "the checksum of $from is $is, not $sum; nothing was installed"
  tmp=$(mktemp -d)
  tar -xzf "$from" -C "$tmp" || die "$from is not a tar.gz archive"
  set -- "$tmp"/*/
  [ $# -eq 1 ] && [ -d "$1" ] || die "$from does not hold one folder"
  from=${1%/}
fi
[ -d "$from" ] || die "$from is neither a folder nor an archive"
[ -f "$from/SHA256SUMS" ] && [ -x "$from/bin/cua-driver" ] || die "$from is not a release folder; make one with: cargo xtask dist"
(cd "$from" && $check -c SHA256SUMS >/dev/null 2>&1) || die "a file of $from does not fit SHA256SUMS; nothing was installed"
"$from/bin/cua-driver" --version >/dev/null 2>&1 || die "$from/bin/cua-driver does not run on this machine"
if [ -e "$lib" ] && ! ours; then die "$lib is there and was not made by this installer; move it away"; fi
if [ -e "$bin" ] && ! ours; then die "$bin is there and was not made by this installer; move it away"; fi

mkdir -p "$prefix/bin" "$prefix/lib"
new=$(mktemp -d "$prefix/lib/.cua-driver-XXXXXX")
cp -R "$from/lib/cua-driver/." "$new/"
cp "$from/bin/cua-driver" "$new/.cua-driver"
chmod 755 "$new" "$new/.cua-driver"
"$new/.cua-driver" --version >"$new/.installed"
stop_running
# The old one is moved aside, the new one into its place; each is one rename.
old=$prefix/lib/.cua-driver-old-$$
[ ! -e "$lib" ] || mv "$lib" "$old"
if ! mv "$new" "$lib"; then
  [ ! -e "$old" ] || mv "$old" "$lib"
  die 'the new files could not be put in place; the old ones are back'
fi
new=''
mv -f "$lib/.cua-driver" "$bin"
rm -rf -- "$old"

echo "installed $("$bin" --version) in $prefix"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "add it to your PATH:  export PATH=\"$prefix/bin:\$PATH\"" ;; esac
command -v node >/dev/null 2>&1 || echo 'Node.js 20 or newer is not installed: mcp, trajectory and recording render need it'
echo 'next:  cua-driver doctor'
