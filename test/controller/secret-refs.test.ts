import { expect, test } from 'vitest'
import { createOpeningCompiler } from '../../src/controller/revisions/compile.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]
const SECRETS = '/api/v1/namespaces/nodewave-secrets/secrets'
const PAYLOADS = '/api/v1/namespaces/nodewave-system/secrets'
const REVISIONS = '/api/v1/namespaces/nodewave-revisions/configmaps'
const KEPT = '/api/v1/namespaces/nodewave-revisions/secrets'

const PROFILE = `
---
apiVersion: nodewave.io/v1alpha1
kind: HostProfile
metadata: {name: db}
spec:
  files: [{path: /etc/db/password, contentFrom: {secretRef: {name: db, key: password}}}]
`
const withSecret = (options: Parameters<typeof aFleet>[0] = {}) => ({
  'fleet.yaml': `${aFleet({ ...options, more: '  hostProfiles: [db]\n' })['fleet.yaml']}${PROFILE}`,
})
const dataOf = (password: string) => ({ password: Buffer.from(password).toString('base64') })
const compile = () => createOpeningCompiler({ namespace: 'nodewave-system' })

async function aStageWith(password: string | undefined, more: { readonly nodes?: number } = {}): Promise<Stage> {
  const stage = await aStage({ secrets: true, secretsNamespace: 'nodewave-secrets' })
  await stage.kube.create('/api/v1/namespaces', { metadata: { name: 'nodewave-secrets' } })
  if (password !== undefined) await stage.kube.create(SECRETS, { metadata: { name: 'db' }, data: dataOf(password) })
  await stage.addNodes(more.nodes ?? 2)
  return stage
}

const write = (stage: Stage, password: string) => stage.kube.patch(`${SECRETS}/db`, { data: dataOf(password) })

/** Until all nodes are at one revision, other than `before`. */
async function revisionAfter(stage: Stage, before?: string): Promise<string> {
  const revisionsOf = (nodes: ReadonlyMap<string, KubeObject>) => new Set([...nodes.values()].map(assignedRevision))
  const nodes = await stage.until(NODES, (found) => {
    const [revision, ...others] = revisionsOf(found)
    return revision !== undefined && revision !== before && others.length === 0
  })
  await stage.until(POOLS, (pools) => readyOf(pools.get('workers')) === 'True Completed')
  return [...revisionsOf(nodes)][0] ?? ''
}

/** What the Secret that the nodes were assigned holds for the file. */
async function assignedContent(stage: Stage): Promise<string> {
  const nodes = await stage.until(NODES, () => true)
  const { SECRET_CONFIG } = JSON.parse(nodes.get('n0')?.metadata.annotations?.['nodewave.io/desired-config'] ?? '{}')
  const { data } = await stage.kube.get<{ data: { secret: string } }>(`${PAYLOADS}/${SECRET_CONFIG}`)
  return JSON.parse(Buffer.from(data.secret, 'base64').toString()).files['/etc/db/password'].content
}

test('a revision is a commit with the contents of its Secrets: another content is another revision of the commit', async () => {
  await using stage = await aStageWith('tr0ub4dor')
  stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', withSecret())
  const first = await revisionAfter(stage)
  expect(first).toMatch(new RegExp(`^${A}\\+[0-9a-f]{8}$`))
  expect(await assignedContent(stage)).toBe('tr0ub4dor')
  await write(stage, 'correct-horse')
  const second = await revisionAfter(stage, first)
  expect(second).toMatch(new RegExp(`^${A}\\+[0-9a-f]{8}$`))
  expect(await assignedContent(stage)).toBe('correct-horse')
  await write(stage, 'tr0ub4dor')
  stage.clock.advance(60_000)
  expect(await revisionAfter(stage, second)).toBe(first)
})

test('another content goes from wave to wave; one that fails on the first node is rolled back to the content before', async () => {
  await using stage = await aStageWith('tr0ub4dor', { nodes: 3 })
  const good: (string | undefined)[] = []
  const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 100%'
  stage.startController({ compile: compile() })
  stage.startAgents((_, { REVISION }) => (good.length === 0 || good.includes(REVISION) ? 'applies' : 'rolls back'))
  stage.push('a', withSecret({ rollout }))
  good.push(await revisionAfter(stage))
  await write(stage, 'wrong')
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack')
  const { history = [] } = (pools.get('workers')?.status ?? {}) as { history?: { revision: string; result: string }[] }
  expect(history.map(({ result }) => result)).toContain('RolledBack')
  await stage.until(NODES, (nodes) => [...nodes.values()].every((node) => good.includes(assignedRevision(node))))
  const written = stage.requests.filter((request) => request.startsWith('PATCH /api/v1/nodes/'))
  // Three assigned, one of them tried the content, and got back what it had.
  expect(written.length).toBe(5)
})

test.each([
  ['has no Secret', undefined, 'Secret "db" is missing in namespace "nodewave-secrets"; create it there'],
  [
    'has no key of its Secret',
    { other: 'eA==' },
    'Secret "db" in namespace "nodewave-secrets" has no key "password"; add it there',
  ],
])('a commit that %s is not accepted, the pool says so and stays; the content is enough', async (_, data, message) => {
  await using stage = await aStageWith(undefined)
  if (data) await stage.kube.create(SECRETS, { metadata: { name: 'db' }, data })
  stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', aFleet())
  await revisionAfter(stage)
  stage.push('b', withSecret({ v: 4 }))
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False InvalidRepository')
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain(message)
  expect(assignedRevision((await stage.until(NODES, () => true)).get('n0'))).toBe(A)
  if (data) await write(stage, 'tr0ub4dor')
  else await stage.kube.create(SECRETS, { metadata: { name: 'db' }, data: dataOf('tr0ub4dor') })
  expect((await revisionAfter(stage, A)).startsWith(`${B}+`)).toBe(true)
})

test('a Secret that is deleted changes no node: the copy of the revision stands, and the pool says so until it is back', async () => {
  await using stage = await aStageWith('tr0ub4dor')
  const end = stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', withSecret())
  const first = await revisionAfter(stage)
  await stage.kube.delete(`${SECRETS}/db`)
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False InvalidRepository')
  await end()
  // A node that joins gets what the revision took, from the copy, by a controller that has never seen the Secret.
  stage.startController({ compile: compile() })
  await stage.kube.create(NODES, stage.aNode('n9'))
  await stage.until(NODES, (nodes) => assignedRevision(nodes.get('n9')) === first)
  expect(await assignedContent(stage)).toBe('tr0ub4dor')
  await stage.kube.create(SECRETS, { metadata: { name: 'db' }, data: dataOf('tr0ub4dor') })
  stage.clock.advance(60_000)
  expect(await revisionAfter(stage)).toBe(first)
})

test('without Git, a controller that begins takes what has changed meanwhile', async () => {
  await using stage = await aStageWith('tr0ub4dor')
  const end = stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', withSecret())
  const first = await revisionAfter(stage)
  await end()
  await write(stage, 'correct-horse')
  stage.source.loseContact()
  stage.startController({ compile: compile() })
  const second = await revisionAfter(stage, first)
  expect(second.startsWith(`${A}+`)).toBe(true)
  expect(await assignedContent(stage)).toBe('correct-horse')
})

test('a pool that a person rolled back stays there when a Secret of the commit that they fled from changes', async () => {
  await using stage = await aStageWith('tr0ub4dor')
  stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', aFleet())
  await revisionAfter(stage)
  stage.push('b', withSecret({ v: 4 }))
  const atB = await revisionAfter(stage, A)
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/rollback': A } } })
  await stage.until(NODES, (nodes) => [...nodes.values()].every((node) => assignedRevision(node) === A))
  await write(stage, 'correct-horse')
  const observed = (pools: ReadonlyMap<string, KubeObject>) =>
    (pools.get('workers')?.status as { observedRevision?: string } | undefined)?.observedRevision
  await stage.until(POOLS, (pools) => observed(pools) !== atB)
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')).startsWith('False RolledBack'))
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain('rolled back to aaaaaaa')
  expect([...(await stage.until(NODES, () => true)).values()].map(assignedRevision)).toEqual([A, A])
})

test('what revisions took is kept in immutable Secrets beside them, and nothing else holds it', async () => {
  await using stage = await aStageWith('tr0ub4dor')
  stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', withSecret())
  const revision = await revisionAfter(stage)
  const { items } = await stage.kube.get<{ items: KubeObject[] }>(KEPT)
  const hash = revision.slice(-8)
  expect(items.map(({ metadata, immutable }) => [metadata.name, immutable])).toEqual([
    [`fleet-aaaaaaaaaaaa-${hash}-secrets`, true],
    ['nodewave-hash-key', true],
  ])
  for (const path of [NODES, POOLS, '/api/v1/configmaps', '/api/v1/events']) {
    const text = JSON.stringify(await stage.kube.get(path))
    for (const form of ['tr0ub4dor', Buffer.from('tr0ub4dor').toString('base64')]) expect(text.includes(form), path).toBe(false)
  }
})

test('a controller without --secrets-namespace refuses a commit that names a Secret, and says what to do', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController({ compile: compile() })
  stage.push('a', aFleet())
  await stage.until(POOLS, (pools) => pools.has('workers'))
  stage.push('b', withSecret())
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False InvalidRepository')
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain('start it with --secrets-namespace')
})

test('values that change more nodes than blastRadius allows need a promotion of their own, whatever was promoted of the commit before', async () => {
  await using stage = await aStageWith('tr0ub4dor')
  await stage.kube.create('/api/v1/namespaces/nodewave-system/configmaps', {
    metadata: {
      name: 'nodewave-fleet',
      labels: { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/kind': 'fleet' },
      annotations: { 'nodewave.io/promote': A },
    },
  })
  stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', withSecret({ fleet: 'blastRadius: {maxNodes: 1}' }))
  const first = await revisionAfter(stage)
  await write(stage, 'correct-horse')
  const pools = await stage.until(
    POOLS,
    (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'CommitNeedsPromotion',
  )
  const [, named = ''] =
    /nodewave promote --all --revision (\S+)$/.exec(conditionOf(pools.get('workers'), 'Stalled')?.message ?? '') ?? []
  expect(named).toMatch(/^aaaaaaaaaaaa\+[0-9a-f]{8}$/)
  const annotations = { 'nodewave.io/promote': named }
  await stage.kube.patch('/api/v1/namespaces/nodewave-system/configmaps/nodewave-fleet', { metadata: { annotations } })
  expect((await revisionAfter(stage, first)).slice(-8)).toBe(named.slice(-8))
})

test('a copy that somebody deleted is written again by the next controller, while the Secret is what it was', async () => {
  await using stage = await aStageWith('tr0ub4dor')
  const end = stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', withSecret())
  const revision = await revisionAfter(stage)
  await end()
  const copy = `fleet-aaaaaaaaaaaa-${revision.slice(-8)}-secrets`
  await stage.kube.delete(`${KEPT}/${copy}`)
  stage.startController({ compile: compile() })
  stage.push('a', withSecret())
  await stage.until(KEPT, (secrets) => secrets.has(copy))
  expect(await revisionAfter(stage)).toBe(revision)
})

test('without Git, a commit that somebody restores is the newest one also when Secrets have changed while it was gone', async () => {
  await using stage = await aStageWith('tr0ub4dor')
  const end = stage.startController({ compile: compile() })
  stage.startAgents()
  stage.push('a', withSecret())
  const first = await revisionAfter(stage)
  stage.push('b', withSecret({ v: 4 }))
  const second = await revisionAfter(stage, first)
  await end()
  const path = `${REVISIONS}/fleet-bbbbbbbbbbbb-${second.slice(-8)}-0`
  const { metadata, ...documents } = await stage.kube.get<KubeObject>(path)
  const { resourceVersion: _, ...kept } = metadata
  await stage.kube.delete(path)
  stage.source.loseContact()
  stage.startController({ compile: compile() })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RepositoryUnread')
  await write(stage, 'correct-horse')
  stage.clock.advance(60_000)
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RepositoryUnread')
  await stage.kube.create(REVISIONS, { ...documents, metadata: kept })
  expect((await revisionAfter(stage, second)).startsWith(`${B}+`)).toBe(true)
  expect(await assignedContent(stage)).toBe('correct-horse')
})
