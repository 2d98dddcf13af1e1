import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addRefOptions, type RefOptions, refOf } from '../../src/cli/controller/ref-options.ts'

function ref(...args: readonly string[]) {
  const command = addRefOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} }))
  return refOf(command.parse(args, { from: 'user' }).opts<RefOptions>())
}

test('a branch, a tag, a range of versions or a commit is followed, or what is the default', () => {
  expect(ref()).toBeUndefined()
  expect(ref('--branch', 'prod')).toEqual({ branch: 'prod' })
  expect(ref('--tag', 'live')).toEqual({ tag: 'live' })
  expect(ref('--semver', '~1.4')).toEqual({ semver: '~1.4' })
  expect(ref('--commit', 'a'.repeat(40))).toEqual({ commit: 'a'.repeat(40) })
})

test.for([
  [['--branch', 'prod', '--tag', 'live'], "option '--branch <name>' cannot be used with option '--tag <name>'"],
  [['--tag', 'live', '--semver', '1.x'], "option '--tag <name>' cannot be used with option '--semver <range>'"],
  [['--semver', '1.x', '--commit', 'a'.repeat(40)], 'cannot be used with option'],
  [['--semver', 'newest'], 'expected a range of versions'],
  [['--semver', ''], 'expected a range of versions'],
  [['--commit', 'abc123'], 'expected the full id of a commit'],
] as const)('the options %j are refused', ([args, message]) => {
  expect(() => ref(...args)).toThrow(message)
})
