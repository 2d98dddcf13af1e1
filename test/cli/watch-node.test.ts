import { expect, test } from 'vitest'
import { watchNode } from '../../src/cli/status/watch-node.ts'
import type { FollowEvent, KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { DEFAULT_PREFIX, namesFor } from '../../src/protocol/names.ts'
import { anIo } from './run-cli.ts'

const status = (phase: string) => JSON.stringify({ phase, since: '2026-11-21T08:00:00Z', digest: 'd', revision: 'a'.repeat(40) })

function aNode(phase: string): KubeObject {
  return {
    metadata: { name: 'n1', annotations: { 'nodewave.io/status': status(phase) } },
    status: {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T07:00:00Z' }],
      nodeInfo: { kubeletVersion: 'v1.36.3' },
    },
  } as KubeObject
}

/** What is printed of a node that the API server tells these events of. */
async function watched(events: readonly FollowEvent<KubeObject>[], isTTY: boolean): Promise<string> {
  const { io, outcome } = anIo('/', { isTTY, now: () => Date.UTC(2026, 10, 21, 8) })
  const kube = {
    list: async () => ({ items: [] }),
    async *follow() {
      yield* events
    },
  } as unknown as KubeApi
  await watchNode(io, { kube, node: 'n1', names: namesFor(DEFAULT_PREFIX), signal: new AbortController().signal })
  return outcome().stdout
}

const EVENTS: readonly FollowEvent<KubeObject>[] = [
  { type: 'sync', items: [aNode('Applying')] },
  { type: 'upsert', item: aNode('Applying') },
  { type: 'upsert', item: aNode('Applied') },
  { type: 'delete', name: 'n1', namespace: '' },
]

test('watching a node prints each fact that changes, where nothing can be redrawn', async () => {
  expect((await watched(EVENTS, false)).split('\n').filter((line) => /phase|ready/.test(line))).toEqual([
    '2026-11-21T08:00:00.000Z n1 ready: true since 2026-11-21T07:00:00.000Z',
    '2026-11-21T08:00:00.000Z n1 phase: Applying since 2026-11-21T08:00:00Z',
    '2026-11-21T08:00:00.000Z n1 phase: Applied since 2026-11-21T08:00:00Z',
    '2026-11-21T08:00:00.000Z n1 ready: the Node is gone',
    '2026-11-21T08:00:00.000Z n1 phase: no longer',
  ])
})

test('watching a node draws over what it drew on a terminal', async () => {
  const shown = (await watched(EVENTS.slice(0, 1), true)).split('\u001b[J')
  expect(shown.at(-1)).toMatch(/^node +n1\nready +true since /)
})
