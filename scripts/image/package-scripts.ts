/** What runs when a package of the agent comes and goes: the commands that people have, too. */

/** Where the package unpacks. No agent runs from here: dpkg replaces these files before it configures a newer package. */
export const PACKAGE_FOLDER = 'usr/lib/nodewave-agent'

/** Of Debian's names. With DPKG_ROOT, as where no systemd runs, a machine is being built: the agent starts when that is booted. */
export function maintainerScripts(): Readonly<Record<'postinst' | 'prerm', string>> {
  const begin = (argument: string): string => `#!/bin/sh
set -e
[ "$1" = ${argument} ] || exit 0
root=\${DPKG_ROOT:-}
agent=$root/${PACKAGE_FOLDER}/nodewave-agent
`
  return {
    postinst: `${begin('configure')}if [ -z "$root" ] && [ -d /run/systemd/system ]; then
  # 1: it has not reached its Node, as on a machine that is no node yet, or the version before runs again.
  "$agent" install --host=/ || [ $? -eq 1 ]
else
  "$agent" install --offline --host="$root/"
fi
`,
    prerm: `${begin('remove')}if [ -z "$root" ] && [ -d /run/systemd/system ]; then
  "$agent" uninstall
else
  "$agent" uninstall --offline --host="$root/"
fi
`,
  }
}
