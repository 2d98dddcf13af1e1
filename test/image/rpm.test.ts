import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { rpmScripts } from '../../scripts/image/rpm.ts'

const { postinst, prerm } = rpmScripts()

/** The lines that turn the arguments of rpm into those of dpkg. */
function translated(script: string, lines: number, argument: string): string {
  const head = script.split('\n').slice(1, 1 + lines)
  return execFileSync('sh', ['-c', [...head, 'echo "$1"'].join('\n'), 'script', argument], { encoding: 'utf8' }).trim()
}

test('a package of rpm configures what it installed, be it the first version or a newer one', () => {
  expect([translated(postinst, 1, '1'), translated(postinst, 1, '2')]).toEqual(['configure', 'configure'])
})

test('a package of rpm uninstalls the agent when its last version goes, and not when a newer one came', () => {
  expect([translated(prerm, 2, '0'), translated(prerm, 2, '1')]).toEqual(['remove', ''])
})
