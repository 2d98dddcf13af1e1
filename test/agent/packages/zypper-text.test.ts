import { describe, expect, test } from 'vitest'
import { complaintOf, failedScripts, isLocked } from '../../../src/agent/adapters/rpm/rpm-text.ts'
import { namesIn, withNames } from '../../../src/agent/adapters/zypper/auto-installed.ts'
import { lockOf, withLock, withoutLock } from '../../../src/agent/adapters/zypper/locks.ts'
import {
  downloadedFiles,
  isUnknownPackage,
  missedRepositories,
  parseSummary,
  textOf,
} from '../../../src/agent/adapters/zypper/zypper-text.ts'

const ended = (stdout: string, code = 0, stderr = '') => ({ code, stdout, stderr })

test('parseSummary reads packages that come, go and change, and no patches', () => {
  const output = `<install-summary download-size="6223" packages-to-change="4">
<to-install>
<solvable type="package" name="app" edition="1.0-1" arch="x86_64" summary="a &lt;b&gt;"><description>x</description></solvable>
<solvable type="patch" name="SUSE-2026-1" edition="1" arch="noarch"/>
</to-install>
<to-upgrade>
<solvable type="package" name="tool" edition="1:1.1-1" arch="x86_64" edition-old="1.0-1" arch-old="x86_64"/>
</to-upgrade>
<to-downgrade>
<solvable type="package" name="lib" edition="1.0-1" arch="noarch" edition-old="2.0-1"/>
</to-downgrade>
<to-remove>
<solvable type="package" name="old" edition="0.9-1" arch="x86_64"/>
</to-remove>
</install-summary>`
  expect(parseSummary(output)).toEqual([
    { name: 'app', architecture: 'x86_64', version: '1.0-1', to: 'installed' },
    { name: 'tool', architecture: 'x86_64', version: '1:1.1-1', to: 'replaced' },
    { name: 'lib', architecture: 'noarch', version: '1.0-1', to: 'replaced' },
    { name: 'old', architecture: 'x86_64', version: '0.9-1', to: 'removed' },
  ])
})

test('complaint is the problem of the solver, without the solutions that nobody is there to choose', () => {
  const output = `<message type="info">Reading installed packages...</message>
<description>Problem: app-2.0-1.x86_64 requires lib &gt;= 2.0-1, but this requirement cannot be provided
 Solution 1: do not install lib-1.0-1.x86_64
 Solution 2: do not install app-2.0-1.x86_64
</description>`
  expect(complaintOf(textOf(ended(output, 4)))).toBe(
    'app-2.0-1.x86_64 requires lib >= 2.0-1, but this requirement cannot be provided',
  )
})

test.each([
  [4, 'zypper ended with 4: a problem that libzypp reports'],
  [8, 'zypper ended with 8: packages were not installed or removed'],
  [104, 'zypper ended with 104: no repository has a package'],
  [106, 'zypper ended with 106: a repository was left out, since it could not be refreshed'],
  [107, 'zypper ended with 107: a script of a package failed'],
])('exit code %i is explained where zypper does not complain', (code, message) => {
  expect(complaintOf(textOf(ended('<message type="info">Loading…</message>', code)))).toBe(message)
})

test.each([0, 100, 101, 102, 103])('exit code %i is no complaint', (code) => {
  expect(textOf(ended('', code))).toBe('')
})

test('zypper that waits for another one is locked out, and names no failed script', () => {
  const output =
    '<message type="error">System management is locked by the application with pid 4711 (zypper).\nClose it.</message>'
  expect(isLocked(textOf(ended(output, 7)))).toBe(true)
  expect(failedScripts(textOf(ended(output, 7)))).toEqual([])
})

test('failed scripts are read out of what rpm prints between the lines of zypper', () => {
  const output = `<message type="info">Additional rpm output:
error: lua script failed: [string &quot;%post(broken-1.0-1.x86_64)&quot;]:1: no
warning: %post(my-tool-1.0-1.x86_64) scriptlet failed, exit status 1
</message>`
  expect(failedScripts(textOf(ended(output)))).toEqual(['broken', 'my-tool'])
})

test('repositories that do not answer, packages that nobody has, and files that came are read from messages', () => {
  expect(missedRepositories('<message>Skipping repository &apos;a b&apos; because of the above error.</message>')).toEqual([
    'a b',
  ])
  expect(isUnknownPackage('<message type="error">No provider of &apos;tool=9.9&apos; found.</message>')).toBe(true)
  expect(isUnknownPackage('<message type="error">Argument resolves to no package: tool=9-9</message>')).toBe(true)
  expect(isUnknownPackage('<message type="error">Repository is invalid.</message>')).toBe(false)
  expect(downloadedFiles('<localfile path="/a/tool-1.0-1.x86_64.rpm"/>')).toEqual(['/a/tool-1.0-1.x86_64.rpm'])
})

const tool = { name: 'tool', version: '1.0-1', architecture: 'x86_64' }
const THEIRS =
  '\ntype: package\nmatch_type: glob\ncase_sensitive: on\nsolvable_name: kernel*\n\n\ntype: package\nmatch_type: glob\ncase_sensitive: on\nsolvable_name: tools\n\n'

describe('locks', () => {
  test.each(['', THEIRS])('take a package, and are as before without it: %j', (before) => {
    const after = withLock(before, 'tool')
    expect(lockOf(after, tool)).toBe('tool')
    expect(withoutLock(after, 'tool')).toBe(before)
  })

  test('of others hold by pattern, and stay', () => {
    expect(lockOf(THEIRS, { ...tool, name: 'kernel-default' })).toBe('kernel*')
    expect(withoutLock(THEIRS, 'kernel-default')).toBe(THEIRS)
    expect(lockOf(THEIRS, tool)).toBeUndefined()
  })

  test.each([
    ['solvable_name: tool\nversion: == 1.0-1', 'tool'],
    ['solvable_name: tool\nversion: == 2.0-1', undefined],
    ['solvable_name: tool\nversion: > 1.0-1', undefined],
    ['solvable_name: tool\nrepo: other', undefined],
    ['solvable_name: tool\nsolvable_arch: i586', undefined],
    ['type: patch\nsolvable_name: tool', undefined],
    ['match_type: substring\nsolvable_name: oo', 'oo'],
    ['match_type: exact\nsolvable_name: to*', undefined],
    ['match_type: regex\nsolvable_name: ^to+l$', '^to+l$'],
    ['case_sensitive: off\nsolvable_name: TOOL', 'TOOL'],
  ])('hold by what they name: %j', (text, held) => {
    expect(lockOf(`${text}\n`, tool)).toBe(held)
    expect(withoutLock(`${text}\nrepo: other\n`, 'tool')).toBe(`${text}\nrepo: other\n`)
  })
})

test('names of packages that came for others are kept beside the header of libzypp', () => {
  const text = '# AutoInstalled generated Sun Nov 22 19:23:10 2026\n#\nlib\n#\n'
  expect([...namesIn(text)]).toEqual(['lib'])
  expect([...namesIn(withNames(text, ['other'], 'automatic'))]).toEqual(['lib', 'other'])
  expect([...namesIn(withNames(text, ['lib'], 'named'))]).toEqual([])
  expect(withNames(text, ['lib'], 'named')).toContain('# AutoInstalled generated')
})
