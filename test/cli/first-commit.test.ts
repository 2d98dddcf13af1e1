import { expect, test } from 'vitest'
import { firstCommitTrouble, noPoolsLines } from '../../src/cli/status/first-commit.ts'
import { aStage } from '../controller/stage.ts'

test('an event that somebody else wrote gets no control characters on a terminal', async () => {
  await using stage = await aStage()
  await stage.kube.create('/api/v1/namespaces/default/events', {
    metadata: { name: 'forged' },
    involvedObject: { kind: 'Namespace', name: 'default' },
    source: { component: 'nodewave-controller' },
    reason: 'Fine\u001b[2J',
    message: 'all is well\u001b]0;title\u0007',
    lastTimestamp: '2026-11-22T09:00:00Z',
  } as never)
  const text = noPoolsLines(await firstCommitTrouble(stage.kube)).join('\n')
  expect(text).toContain('Fine')
  for (const control of ['\u0007', '\u001b']) expect(text).not.toContain(control)
})
