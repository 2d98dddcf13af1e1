import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { type CutOff, LostPayloads } from '../../../src/controller/execution/lost-payloads.ts'
import type { RenderedConfig } from '../../../src/controller/fleet/compiled-fleet.ts'
import { refusal } from '../fake-kube.ts'

/** Three nodes without the right to read what they were assigned; `refused` gets it from no server. */
function aRestore(refused?: string) {
  const asked: string[] = []
  const granted: string[] = []
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const lost = new LostPayloads({
    payloads: { ensure: async () => undefined },
    access: {
      isGranted: () => false,
      restore: async ({ name }) => {
        asked.push(name)
        await answered
        if (name === refused) throw refusal(403, 'Forbidden')
        granted.push(name)
      },
    },
    cluster: { payloads: { get: () => undefined }, secrets: { get: () => undefined } },
    failures: { mayTry: () => true },
    now: () => 0,
  })
  const cutOff = ['a', 'b', 'c'].map((name): CutOff => {
    const node = { name } as ClusterNode
    return { node, revision: 'new', config: { payloads: [] } as Partial<RenderedConfig> as RenderedConfig }
  })
  return { asked, granted, answer, restored: lost.restore(cutOff) }
}

test('nodes get back the right to read their payloads together, since they share what is written', async () => {
  const { asked, answer, restored } = aRestore()
  await new Promise(setImmediate)
  expect(asked).toEqual(['a', 'b', 'c'])
  answer()
  expect(await restored).toEqual({ isDone: true })
})

test('a node that is refused the right to read its payloads keeps no other from it', async () => {
  const { granted, answer, restored } = aRestore('a')
  answer()
  await expect(restored).rejects.toMatchObject({ code: 403 })
  expect(granted).toEqual(['b', 'c'])
})
