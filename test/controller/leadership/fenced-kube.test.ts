import { expect, test } from 'vitest'
import { fencedKube } from '../../../src/controller/leadership/fenced-kube.ts'
import type { KubeApi } from '../../../src/kube/kube-api.ts'
import { FakeKube } from '../fake-kube.ts'

function aTerm() {
  const [ended, lost] = [new AbortController(), new AbortController()]
  const state = { holds: true }
  return { ended, lost, state, term: { signal: ended.signal, lost: lost.signal, holds: () => state.holds } }
}

const WRITES: readonly (readonly [string, (kube: KubeApi) => Promise<unknown>])[] = [
  ['create', (kube) => kube.create('/things', { metadata: { name: 'b' } })],
  ['replace', (kube) => kube.replace('/things/a', { metadata: { resourceVersion: '101' } })],
  ['patch', (kube) => kube.patch('/things/a', { metadata: {} })],
  ['delete', (kube) => kube.delete('/things/a')],
]

test.each(WRITES)(
  '%s passes while the term holds, and is refused as soon as its time is over, whoever knows it',
  async (_, write) => {
    const kube = new FakeKube()
    kube.put('/things/a', { metadata: { name: 'a' } })
    const { term, state } = aTerm()
    const fenced = fencedKube(kube, term)
    await write(fenced)
    const sent = kube.requests.length
    state.holds = false
    await expect(write(fenced)).rejects.toMatchObject({ reason: 'NotLeading', reaction: 'retry' })
    expect(kube.requests.length).toBe(sent)
  },
)

test('a write is refused when the process is to end', async () => {
  const { term, ended } = aTerm()
  ended.abort()
  await expect(fencedKube(new FakeKube(), term).create('/things', {})).rejects.toMatchObject({ reason: 'NotLeading' })
})

test('what is under way is let go when the lead is lost', async () => {
  const { term, lost } = aTerm()
  const kube = Object.assign(new FakeKube(), {
    patch: (_: string, __: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('let go')))),
  }) as KubeApi
  const patched = fencedKube(kube, term).patch('/things/a', {})
  lost.abort()
  await expect(patched).rejects.toThrow('let go')
})
