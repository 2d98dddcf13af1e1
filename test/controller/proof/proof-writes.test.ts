import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { ProofWrites } from '../../../src/controller/proof/proof-writes.ts'
import { type KubeApi, KubeError, type KubeObject } from '../../../src/kube/kube-api.ts'

const POD = { node: 'a', image: 'registry.k8s.io/pause:3.10', digest: 'new', assignedAt: 0, timeout: 30_000, at: 0 }

/** The pods of the namespace; what is made comes without labels when something takes them off. */
class FakePods implements Pick<KubeApi, 'create' | 'delete' | 'list'> {
  readonly made: string[] = []
  /** Those that the writer told of. */
  readonly told: string[] = []
  readonly listed: string[] = []
  readonly #pods = new Map<string, KubeObject>()
  readonly #labelled: boolean

  constructor({ labelled }: { readonly labelled: boolean }) {
    this.#labelled = labelled
  }

  create: KubeApi['create'] = async <T>(_: string, body: unknown): Promise<T> => {
    const { metadata, ...pod } = body as KubeObject
    if (this.#pods.has(metadata.name)) throw new KubeError('it is there', { code: 409, reason: 'AlreadyExists' })
    const labels = this.#labelled ? metadata.labels : undefined
    const made = { ...pod, metadata: { name: metadata.name, uid: `uid ${metadata.name}`, ...(labels && { labels }) } }
    this.#pods.set(metadata.name, made)
    this.made.push(metadata.name)
    return made as T
  }

  list: KubeApi['list'] = async (_, { project, fieldSelector = '' }) => {
    this.listed.push(fieldSelector)
    const pod = this.#pods.get(fieldSelector.replace('metadata.name=', ''))
    return { items: pod ? [project(pod)] : [], resourceVersion: '1' }
  }

  delete: KubeApi['delete'] = async () => undefined as never
}

/** Asks for the pod so many times. @returns what went wrong, for each time */
async function start(pods: FakePods, times: number): Promise<(string | undefined)[]> {
  const failures: (string | undefined)[] = []
  let work: Promise<unknown> = Promise.resolve()
  const writes = new ProofWrites({
    kube: pods,
    nodes: { get: () => ({ uid: 'node-uid' }) as ClusterNode },
    background: {
      begin: (_, begun) => {
        work = begun()
      },
    },
    log: () => undefined,
    made: ({ metadata }) => pods.told.push(metadata.name),
  })
  for (let time = 0; time < times; time++) {
    writes.begin({ kind: 'startProof', pod: POD })
    failures.push(
      await work.then(
        () => undefined,
        ({ message }: Error) => message,
      ),
    )
  }
  return failures
}

test('a pod of ours that is not seen yet is not made twice', async () => {
  const pods = new FakePods({ labelled: true })

  expect(await start(pods, 3)).toEqual([undefined, undefined, undefined])
  expect(pods.made).toHaveLength(1)
  expect(pods.told).toEqual(pods.made)
})

test('a pod that was made is not looked for', async () => {
  const pods = new FakePods({ labelled: true })

  expect(await start(pods, 1)).toEqual([undefined])
  expect(pods.listed).toEqual([])
})

test('pods that lose their label are made under three names, and then said to be in the way', async () => {
  const pods = new FakePods({ labelled: false })
  const [, , , last] = await start(pods, 4)
  const [first, second, third] = pods.made

  expect(pods.made).toHaveLength(3)
  expect(pods.told).toEqual([])
  expect(last).toBe(
    `pods "${first}", "${second}", "${third}" in the namespace nodewave-proof lack the label ` +
      'app.kubernetes.io/managed-by=nodewave: remove them, or what takes the label off',
  )
})
