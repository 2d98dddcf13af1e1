/** What runs when a package of the agent comes and goes: the commands that people have, too. */

/** Where the package unpacks. No agent runs from here: dpkg replaces these files before it configures a newer package. */
export const PACKAGE_FOLDER = 'usr/lib/nodewave-agent'

/** Of Debian's names. With DPKG_ROOT, as where no systemd runs, a machine is being built: the agent starts when that is booted. */
export function maintainerScripts(version: string): Readonly<Record<'postinst' | 'prerm', string>> {
  return {
    postinst: `#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
root=\${DPKG_ROOT:-}
package=$root/${PACKAGE_FOLDER}
if [ -z "$root" ] && [ -d /run/systemd/system ]; then
  # 1: it has not reached its Node, as on a machine that is no node yet, or the version before runs again.
  "$package/nodewave-agent" install --host=/ || [ $? -eq 1 ]
  exit 0
fi
place=$root/opt/nodewave
partial=$place/.${version}.partial
before=$(readlink "$place/current" || true)
if ! diff -r "$package" "$place/${version}" >/dev/null 2>&1; then
  rm -rf "$partial"
  mkdir -p "$place"
  cp -a "$package" "$partial"
  sync -f "$partial"
  rm -rf "$place/${version}"
  mv "$partial" "$place/${version}"
fi
# Renamed over the old link: at no time there is none.
ln -sfn ${version} "$place/.current"
mv -T "$place/.current" "$place/current"
for program in "$place"/*/nodewave-agent.mjs; do
  folder=\${program%/*}
  case \${folder##*/} in
    current | previous | ${version} | "$before") ;;
    *) rm -rf "$folder" ;;
  esac
done
units=$root/etc/systemd/system
install -D -m 644 "$package/nodewave-agent.service" "$units/nodewave-agent.service"
mkdir -p "$units/multi-user.target.wants"
ln -sf /etc/systemd/system/nodewave-agent.service "$units/multi-user.target.wants/nodewave-agent.service"
`,
    prerm: `#!/bin/sh
set -e
[ "$1" = remove ] || exit 0
root=\${DPKG_ROOT:-}
if [ -z "$root" ] && [ -d /run/systemd/system ]; then
  /${PACKAGE_FOLDER}/nodewave-agent uninstall
  exit 0
fi
place=$root/opt/nodewave
units=$root/etc/systemd/system
rm -f "$units/nodewave-agent.service" "$units/multi-user.target.wants/nodewave-agent.service"
rm -f "$place/current" "$place/previous"
for program in "$place"/*/nodewave-agent.mjs; do
  [ ! -e "$program" ] || rm -rf "\${program%/*}"
done
rm -rf "$place"/.*.partial
[ ! -d "$place" ] || rmdir --ignore-fail-on-non-empty "$place"
`,
  }
}
