import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addGitOptions, type GitOptions, remoteLimitsOf } from '../../src/cli/controller/git-options.ts'

function limits(...args: readonly string[]) {
  const command = addGitOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} }), Number)
  return remoteLimitsOf(command.parse(args, { from: 'user' }).opts<GitOptions>())
}

test('the limits of a repository are these when nothing else is said', () => {
  expect(limits()).toEqual({
    timeout: 30_000,
    deadline: 600_000,
    maxBytes: 33_554_432,
    maxObjectBytes: 16_777_216,
    maxUnpackedBytes: 536_870_912,
    maxObjects: 200_000,
  })
})

test('each limit of a repository has an option', () => {
  const sizes = ['--git-max-pack', '1Gi', '--git-max-object', '512Ki', '--git-max-unpacked', '2Gi']
  expect(limits(...sizes, '--git-max-objects', '5', '--git-timeout', '1000')).toEqual({
    timeout: 30_000,
    deadline: 1000,
    maxBytes: 1_073_741_824,
    maxObjectBytes: 524_288,
    maxUnpackedBytes: 2_147_483_648,
    maxObjects: 5,
  })
})

test.for(['0Mi', '16', '16MB', '-1Gi', '1.5Gi', ''])('a size given as "%s" is refused with what is expected', (size) => {
  expect(() => limits('--git-max-pack', size)).toThrow('expected a size such as 512Ki, 64Mi or 1Gi')
})
