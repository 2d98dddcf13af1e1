import { expect, test } from 'vitest'
import { dashboardNodeChanges } from '../../../src/cli/controller/dashboard-node-changes.ts'

const [A, B, C] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]

test('what a node ran before and the commit before are compared on their own, and secrets are hidden as in a plan', () => {
  const changes = [
    { path: ['flags', 'v'], from: '2', to: '3' },
    { path: ['flags', 'manifest-url-header'], from: undefined, to: 'Authorization:Bearer password' },
    { path: ['host', 'files', '/etc/a', 'content'], from: 'old password', to: 'new password' },
  ]
  const sinceRun = { revision: A, changes }

  expect(dashboardNodeChanges({ revision: C, sinceRun, sinceCommit: { revision: B, changes: [] } })).toEqual({
    title: 'cccccccccccc on this node',
    comparisons: [
      {
        title: 'Compared with what it ran before, aaaaaaaaaaaa',
        remark: '',
        changes: [
          ['flags.v', '2', '3'],
          ['flags.manifest-url-header', '', 'other content'],
          ['host.files./etc/a.content', '', 'other content'],
        ],
      },
      { title: 'Compared with the commit before, bbbbbbbbbbbb', remark: 'Nothing changes on this node.', changes: [] },
    ],
  })
})

test('of many changes the first 40 are shown', () => {
  const changes = Array.from({ length: 50 }, (_, index) => ({ path: ['flags', `f${index}`], from: 1, to: 2 }))
  const [shown] = dashboardNodeChanges({ revision: B, sinceRun: { revision: A, changes } }).comparisons

  expect([shown?.changes.length, shown?.changes.at(-1)]).toEqual([41, ['and 10 more', '', '']])
})

test('a node without anything before says so', () => {
  expect(dashboardNodeChanges({ revision: A })).toEqual({
    title: 'aaaaaaaaaaaa on this node',
    comparisons: [
      { title: '', remark: 'The controller knows nothing that this node ran before, and keeps no commit before.', changes: [] },
    ],
  })
})

test('a revision that a node made up ends up in no command', () => {
  const shown = (from: string) => dashboardNodeChanges({ revision: B, sinceRun: { revision: from } }).comparisons[0]?.remark

  expect(shown('aaaaaaa;sh|x')).toBe('Not in the memory of the controller.')
  expect(shown('')).toBe('Not in the memory of the controller.')
  expect(shown(`${A}+1a2b`)).toBe(
    'Not in the memory of the controller. In a clone: nodewave plan --from aaaaaaaaaaaa --to bbbbbbbbbbbb',
  )
})

test('a node that names the commit before, and runs something else, hides nothing of that commit', () => {
  const sinceCommit = { revision: A, changes: [{ path: ['flags', 'v'], from: '2', to: '3' }] }

  expect(dashboardNodeChanges({ revision: B, sinceRun: { revision: A }, sinceCommit }).comparisons).toEqual([
    {
      title: 'Compared with what it ran before, aaaaaaaaaaaa',
      remark: 'Not in the memory of the controller. In a clone: nodewave plan --from aaaaaaaaaaaa --to bbbbbbbbbbbb',
      changes: [],
    },
    { title: 'Compared with the commit before, aaaaaaaaaaaa', remark: '', changes: [['flags.v', '2', '3']] },
  ])
})
