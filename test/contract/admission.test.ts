/**
 * Who may write nodewave's keys on Nodes: identity × key × verb and patch type × resource, through deploy/admission.yaml.
 * Only a real API server evaluates CEL. On the embedded one these tests are shown as skipped, and the reason is printed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyManifests, deleteManifests, readManifests } from './manifests.ts'
import { as, COREOS, type Identity, identityOf, names, OURS, REPORTS, RIGHTS } from './policy-identities.ts'
import { codeOf, LABEL, NODES, node, type Part, RESOURCES, replaced, type Write, waysTo } from './policy-writes.ts'
import { type Body, JSON_PATCH, MERGE, STRATEGIC } from './raw-client.ts'
import { contractServer } from './server.ts'

const isReal = process.env.NODEWAVE_CONTRACT === 'real'
if (!isReal)
  console.warn(
    'left out: test/contract/admission.test.ts, because the embedded API server evaluates no admission policy; ' +
      'run: node test/e2e/apiserver.ts -- npx vitest run test/contract',
  )

const CNI = identityOf("a CNI's service account")
const server = await contractServer()
const operatorRole = (await readManifests('operator-rbac.yaml')).filter(({ kind }) => kind === 'ClusterRole')
const OTHER_POLICY = 'nodewave-payload-access'
const own = (await readManifests('admission.yaml')).filter(({ metadata }) => metadata.name !== OTHER_POLICY)
const manifests = [...own, ...operatorRole, ...RIGHTS]
let stored: Body

const NODE_PATH = `${NODES}${RESOURCES[0]}`
const code = (identity: Identity, write: Write, resource = RESOURCES[0] ?? '') => codeOf(server, identity, { resource, write })
const annotated = (annotations: Readonly<Record<string, string | null>>): Write => ({
  method: 'PATCH',
  body: { metadata: { annotations } },
  headers: MERGE,
})
const assign = annotated({ [`${OURS}/desired-config`]: '{}' })

/** Gives what is not answered as expected. */
async function wrongAnswers(identity: Identity, part: Part, keys: Readonly<Record<string, boolean>>): Promise<string[]> {
  const wrong: string[] = []
  for (const [key, may] of Object.entries(keys))
    for (const value of ['after', undefined])
      for (const [way, write] of Object.entries(waysTo({ part, key, value }, stored)))
        for (const resource of RESOURCES) {
          const found = await code(identity, write, resource)
          if (found !== (may ? 200 : 403)) wrong.push(`${way} ${resource} ${key}=${value}: ${found}`)
        }
  return wrong
}

/** A policy is compiled, and roles are read, a moment after they were accepted. */
async function inEffect(): Promise<void> {
  const hold = annotated({ [`${OURS}/hold`]: 'after' })
  while ((await code(CNI, assign)) !== 403 || (await code(identityOf('an operator'), hold)) !== 200)
    await server.send('GET', '/readyz')
}

async function makeNode(): Promise<void> {
  const headers = as(identityOf('a person of the break-glass group'))
  const make = () => server.send('POST', NODES, { body: node, headers })
  while ((await make()).code === 403) await server.send('GET', '/readyz')
  stored = (await server.send('GET', NODE_PATH)).body
}

describe.runIf(isReal)('the admission policy', () => {
  beforeAll(async () => {
    await applyManifests(server, manifests)
    await server.send('DELETE', NODE_PATH)
    await makeNode()
    await inEffect()
  })
  afterAll(async () => {
    await server.send('DELETE', NODE_PATH)
    await deleteManifests(server, manifests)
  })

  test.for(names)('%s may write the annotations of its own, and no other, by every verb and on both resources', async (name) => {
    const identity = identityOf(name)
    const keys = Object.fromEntries(
      Object.keys(node.metadata.annotations).map((key) => [key, identity.annotations.includes(key)]),
    )

    expect(await wrongAnswers(identity, 'annotations', keys)).toEqual([])
  })

  test.for(names)('%s may write the label of the pool only when it is trusted', async (name) => {
    const identity = identityOf(name)

    expect(await wrongAnswers(identity, 'labels', { [LABEL]: identity.label, other: true })).toEqual([])
  })

  test.for(names)('%s may drop all annotations at once only when it is trusted', async (name) => {
    const identity = identityOf(name)
    const ways: Write[] = [
      { method: 'PATCH', body: { metadata: { annotations: null } }, headers: MERGE },
      { method: 'PATCH', body: { metadata: { annotations: { $patch: 'replace', plain: 'x' } } }, headers: STRATEGIC },
      { method: 'PATCH', body: [{ op: 'remove', path: '/metadata/annotations' }], headers: JSON_PATCH },
      {
        method: 'PATCH',
        body: [{ op: 'move', from: '/metadata/annotations/plain', path: '/metadata/annotations/nodewave.io~1status' }],
        headers: JSON_PATCH,
      },
      replaced(stored, { annotations: {} }),
    ]
    const codes = await Promise.all(ways.flatMap((way) => RESOURCES.map((resource) => code(identity, way, resource))))
    const mayMove = identity.label || identity.annotations.includes(`${OURS}/status`)
    const expected = [403, 403, 403, mayMove ? 200 : 403, 403].map((code) => (identity.label ? 200 : code))

    expect(codes).toEqual(expected.flatMap((code) => [code, code]))
  })

  test.for(names)('%s may make a Node with keys of nodewave only when it is trusted', async (name) => {
    const identity = identityOf(name)
    const made = (metadata: object): Write => ({
      method: 'POST',
      body: { ...node, metadata: { name: node.metadata.name, ...metadata } },
    })
    const assigned = await code(identity, made({ annotations: { [`${OURS}/desired-config`]: '{}' } }), '')
    const labelled = await code(identity, made({ labels: { [LABEL]: 'workers' } }), '')
    const plain = await code(identity, made({ annotations: { plain: 'x' } }), '')

    // 409: it passed, and the Node is there already.
    expect([assigned, labelled, plain]).toEqual(identity.label ? [409, 409, 409] : [403, 403, 409])
  })

  test.for(RESOURCES)('a kubelet may write nothing on the Node of another one, %s', async (resource) => {
    const other: Identity = { user: 'system:node:policy-n2', groups: ['system:nodes'], annotations: [], label: false }
    const writes = REPORTS.flatMap((key) => Object.values(waysTo({ part: 'annotations', key, value: 'after' }, stored)))

    for (const write of writes) expect(await code(other, write, resource)).toBe(403)
  })

  test.for(names)('%s may repeat what stands there', async (name) => {
    expect(await code(identityOf(name), annotated({ [`${OURS}/desired-config`]: 'before' }))).toBe(200)
  })

  test('a refusal says who, which key, and who may', async () => {
    const answer = await server.send('PATCH', `${NODE_PATH}/status`, { ...assign, headers: { ...MERGE, ...as(CNI) } })

    expect(answer.body).toMatchObject({ code: 403, reason: 'Forbidden' })
    expect(answer.body.message).toContain(
      'system:serviceaccount:kube-system:cni may not write nodewave.io/desired-config: ' +
        'only the nodewave controller and the group nodewave:break-glass may; see docs/security.md',
    )
  })

  test('anybody who may patch Nodes assigns by hand on a Node that the controller opened for it, and opens none', async () => {
    const open = { [`${OURS}/by-hand`]: 'Allow' }
    const close = annotated({ [`${OURS}/by-hand`]: null })
    const set = (write: Write) =>
      server.send('PATCH', NODE_PATH, { ...write, headers: { ...MERGE, ...as(identityOf('controller')) } })
    const others = [
      annotated({ [`${OURS}/desired-config`]: '{}', ...open }),
      annotated({ [`${OURS}/cordoned-for`]: 'x' }),
      annotated({ [`${COREOS}/desired-config`]: '{}' }),
      close,
    ]

    const [closed] = await Promise.all(others.map((write) => code(CNI, write)))
    await set(annotated(open))
    const opened = [await code(CNI, assign), ...(await Promise.all(others.slice(1).map((write) => code(CNI, write))))]
    await set(close)

    expect([closed, opened, await code(CNI, assign)]).toEqual([403, [200, 403, 403, 403], 403])
  })
})
