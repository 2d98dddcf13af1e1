import { expect, test } from 'vitest'
import { DNF_5 } from '../../../src/agent/adapters/dnf/dnf-program.ts'
import { isMatch, tomlLocksIn } from '../../../src/agent/adapters/dnf/excludes.ts'
import { reasonsOfState } from '../../../src/agent/adapters/dnf/reasons.ts'
import { isUnknownPackage, missedRepositories, parseTransaction } from '../../../src/agent/adapters/dnf/transaction-table.ts'
import { complaintOf, failedScripts } from '../../../src/agent/adapters/rpm/rpm-text.ts'

/** As dnf 5.4.6 prints it where nobody looks. */
const textOf = (stderr: string): string => DNF_5.textOf({ code: 1, stdout: '', stderr, timedOut: false })

test('parseTransaction reads what comes, goes and changes, and no version before as one that goes', () => {
  const output = `Package                                                       Arch   Version                                     Repository      Size
Removing:
 lib                                                           x86_64 0:1.0-1                                     stable       1.0   B
Removing dependent packages:
 app                                                           noarch 2:1.0-1                                     stable       6.5 KiB
Upgrading:
 a-very-long-package-name-that-fills-more-than-one-column-of-it x86_64 1:1.0.0-1234567890.a.very.long.release.el10 stable      10.1 MiB
   replacing a-very-long-package-name-that-fills-more-than-one-column-of-it x86_64 0:1.0-1                         stable       1.0   B
   replacing older                                             x86_64 0:0.9-1                                     stable       1.0   B
Installing dependencies:
 other                                                         x86_64 0:2.0-1                                     stable       1.2 GiB

Transaction Summary:
 Upgrading:          1 package
 Replacing:          2 packages
 Removing:           2 packages
`
  expect(parseTransaction(output)).toEqual([
    { name: 'lib', architecture: 'x86_64', version: '1.0-1', to: 'removed' },
    { name: 'app', architecture: 'noarch', version: '2:1.0-1', to: 'removed' },
    {
      name: 'a-very-long-package-name-that-fills-more-than-one-column-of-it',
      architecture: 'x86_64',
      version: '1:1.0.0-1234567890.a.very.long.release.el10',
      to: 'replaced',
    },
    { name: 'older', architecture: 'x86_64', version: '0.9-1', to: 'removed' },
    { name: 'other', architecture: 'x86_64', version: '2.0-1', to: 'installed' },
  ])
})

const UNKNOWN = `Updating and loading repositories:
 stable                                 100% |  67.0 KiB/s |   2.1 KiB |  00m00s
Repositories loaded.
Failed to resolve the transaction:
No match for argument: nothing
You can try to add to command line:
  --skip-unavailable to skip unavailable packages
`

test('a package that no repository has is unknown, and the complaint says no more than that', () => {
  expect(isUnknownPackage(textOf(UNKNOWN))).toBe(true)
  expect(complaintOf(textOf(UNKNOWN))).toBe('No match for argument: nothing')
  expect(missedRepositories(textOf(UNKNOWN))).toEqual([])
})

test('a command that this dnf 5 does not have is in the complaint', () => {
  expect(complaintOf(textOf('Unknown argument "do" for command "dnf5". Add "--help" for more.\n'))).toContain(
    'Unknown argument "do" for command "dnf5"',
  )
})

test.each([
  ['has no metadata', '???% |  90.0   B/s |   2.0   B |  00m00s\n>>> Status code: 404 for http://a.test/repomd.xml'],
  ['cannot be reached', '???% |   0.0   B/s |  -1.0   B |  ?     \n>>> Curl error (7): Could not connect to server'],
  ['breaks off in between', ' 41% |   1.0 MiB/s |  20.0 MiB |  00m20s\n>>> Curl error (18): Transferred a partial file'],
])('missedRepositories names a repository that %s, and no other', (_, progress) => {
  const missed = ` The gone one                           ${progress}\n>>> Usable URL not found\n`
  const output = textOf(UNKNOWN.replace('Repositories loaded.\n', `${missed} last    100% |   1.0 B/s |   1.0 B |  00m00s\n$&`))
  expect(missedRepositories(output)).toEqual(['The gone one'])
  expect(complaintOf(output)).toMatch(
    /^(?:Status code: 404|Curl error \(\d+\)).*; Usable URL not found; No match for argument: nothing$/,
  )
})

test('failedScripts names packages whose script failed as they came, and none that fail as they go', () => {
  const output = `[3/3] Installing late-0:1.0-1.x86_64    100% |  14.0 KiB/s | 100.0   B |  00m00s
>>> Running %post scriptlet: late-0:1.0-1.x86_64
>>> Non-critical error in %post scriptlet: late-0:1.0-1.x86_64
>>> [RPM] lua script failed: [string "%post(late-1.0-1.x86_64)"]:1: no
>>> Error in %pre scriptlet: my-tool-2:1.0-1.x86_64
>>> Non-critical error in %postun scriptlet: gone-0:1.0-1.x86_64
Transaction failed: Rpm transaction failed.
`
  expect(failedScripts(textOf(output))).toEqual(['late', 'my-tool'])
})

test('version locks of one version hold it, of any version too, and what only excludes or compares does not', () => {
  const locks = `version = "1.0"

[[packages]]
name = "tool"
comment = "Added by 'versionlock add' command on 2026-11-22 21:02:52"

[[packages.conditions]]
key = "evr"
comparator = "="
value = "1.0-1"

[[packages]]
name = "lib"

[[packages.conditions]]
key = "evr"
comparator = "!="
value = "1.0-1"

[[packages]]
name = 'app'
`
  expect(tomlLocksIn(locks)).toEqual(['tool-1.0-1', 'app'])
  expect(isMatch('tool-1.0-1', { name: 'tool', version: '1.0-1', architecture: 'x86_64' })).toBe(true)
  expect(tomlLocksIn('version = "1.0"\n')).toEqual([])
})

test('reasonsOfState reads which packages came for others', () => {
  const state = `version = "1.0"

[packages]
"app.x86_64" = {reason = "User"}
"lib.so.x86_64" = {reason = "Dependency"}
"hint.noarch" = {reason = "Weak Dependency"}
`
  expect([...reasonsOfState(state)]).toEqual(['lib.so', 'hint'])
})

test('dnf 5 may remove others only where something is to be removed', async () => {
  const words = (remove: string[]) => DNF_5.words({ install: ['/store/tool.rpm'], remove }, async () => 'no script')
  expect(await words([])).toEqual(['do', '--allow-downgrade', '--action=install', '/store/tool.rpm'])
  expect(await words(['lib'])).toEqual([
    ...['do', '--allow-downgrade', '--action=install', '/store/tool.rpm'],
    ...['--allowerasing', '--action=remove', 'lib'],
  ])
})
