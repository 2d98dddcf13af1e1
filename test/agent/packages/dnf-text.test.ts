import { describe, expect, test } from 'vitest'
import { excludesIn, isMatch, locksIn, withExclude, withoutExclude } from '../../../src/agent/adapters/dnf/excludes.ts'
import { isUnknownPackage, missedRepositories, parseTransaction } from '../../../src/agent/adapters/dnf/transaction-table.ts'
import { complaintOf, failedScripts } from '../../../src/agent/adapters/rpm/rpm-text.ts'

test('parseTransaction reads what comes, goes and changes, with names too long for their column', () => {
  const output = `Last metadata expiration check: 0:00:02 ago on Sun Nov 22 12:28:23 2026.
Dependencies resolved.
================================================================================
 Package         Arch    Version          Repo      Size
================================================================================
Installing:
 a-very-long-package-name
                 x86_64  1:1.0.0-1        stable   6.5 k
     replacing  older.x86_64 0.9-1
Upgrading:
 tool            x86_64  1.1-1            stable   6.1 M
Removing dependent packages:
 app             noarch  1.0-1            @stable   10  
Skipping packages with broken dependencies:
 other           x86_64  2.0-1            stable   6.1 k

Transaction Summary
================================================================================
Install  1 Package
`
  expect(parseTransaction(output)).toEqual([
    { name: 'a-very-long-package-name', architecture: 'x86_64', version: '1:1.0.0-1', to: 'installed' },
    { name: 'older', architecture: 'x86_64', version: '0.9-1', to: 'removed' },
    { name: 'tool', architecture: 'x86_64', version: '1.1-1', to: 'replaced' },
    { name: 'app', architecture: 'noarch', version: '1.0-1', to: 'removed' },
  ])
})

test('complaintOf keeps the problems of the solver, each once, and the last lines where there are none', () => {
  const problem =
    ' Problem: package app-2.0-1 requires lib >= 2.0\n  - conflicting requests\nError: Operation aborted.\nError: Operation aborted.\n'
  expect(complaintOf(problem)).toBe('package app-2.0-1 requires lib >= 2.0; - conflicting requests; Operation aborted.')
  expect(complaintOf('one\ntwo\nthree\nfour\n')).toBe('two; three; four')
})

test('isUnknownPackage knows what dnf says of packages that no repository has', () => {
  expect(isUnknownPackage('Error: Unable to find a match: nothing')).toBe(true)
  expect(isUnknownPackage('Error: No packages marked for reinstall.')).toBe(true)
  expect(isUnknownPackage('Error: Operation aborted.')).toBe(false)
})

test('missedRepositories names each repository that did not answer', () => {
  const output =
    "Errors during downloading metadata for repository 'a'\nError: Failed to download metadata for repo 'a': Cannot download"
  expect(missedRepositories(output)).toEqual(['a'])
})

test('failedScripts names packages whose script failed as they came, and none that fail as they go', () => {
  const byDnf = 'Error in POSTIN scriptlet in rpm package late\nError in POSTUN scriptlet in rpm package gone\n'
  const byRpm =
    'warning: %post(my-tool-1.0-1.x86_64) scriptlet failed, exit status 1\nwarning: %postun(gone-1.0-1.x86_64) scriptlet failed\n'
  const byLua = 'error: lua script failed: [string "%post(lua-1.0-1.x86_64)"]:1: no\n'
  expect(failedScripts(byDnf + byRpm + byLua)).toEqual(['late', 'my-tool', 'lua'])
})

describe('excludes of dnf.conf', () => {
  test.each([
    ['[main]\ngpgcheck=1\n', '[main]\nexcludepkgs=kubelet\ngpgcheck=1\n'],
    ['[main]\nexclude=kernel*\nbest=1\n', '[main]\nexclude=kernel* kubelet\nbest=1\n'],
    ['[main]\nexcludepkgs = a,b\n  c\nbest=1\n', '[main]\nexcludepkgs = a,b\n  c kubelet\nbest=1\n'],
    ['[main]\nbest=1\n[other]\nexclude=x\n', '[main]\nexcludepkgs=kubelet\nbest=1\n[other]\nexclude=x\n'],
  ])('take a package, and are as before without it: %j', (before, after) => {
    expect(withExclude(before, 'kubelet')).toBe(after)
    expect(withoutExclude(after, 'kubelet')).toBe(before)
  })

  test('take a package where there is no configuration', () => {
    expect(excludesIn(withExclude('', 'kubelet'))).toEqual(['kubelet'])
    expect(excludesIn('[main]\nbest=1\n[other]\nexclude=x\n')).toEqual([])
  })

  test('lose one package and no other of a like name', () => {
    expect(withoutExclude('[main]\nexclude=kubelet kubelet-extra, my-kubelet\n', 'kubelet')).toBe(
      '[main]\nexclude= kubelet-extra, my-kubelet\n',
    )
  })

  test('hold packages by name, pattern, version and architecture', () => {
    const tool = { name: 'tool', version: '1:2.0-3', architecture: 'x86_64' }
    const holding = ['tool', 'to*', 'too?', 'tool.x86_64', 'tool-1:2.0-*', 'tool-2.0-3', 't[no]ol']
    expect(holding.filter((pattern) => isMatch(pattern, tool))).toEqual(holding)
    expect(['tools', 'tool-3*', 'tool.noarch', 'ool'].filter((pattern) => isMatch(pattern, tool))).toEqual([])
  })

  test('are joined by the list of the plugin versionlock, without what that only excludes', () => {
    expect(locksIn('# Added by nobody\ntool-0:1.0-1.*\n!lib-0:2.0-1.*\n')).toEqual(['tool-0:1.0-1.*'])
    expect(isMatch('tool-0:1.0-1.*', { name: 'tool', version: '1.0-1', architecture: 'x86_64' })).toBe(true)
  })
})
