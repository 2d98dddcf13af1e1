/** What people do with kubectl, done with the real one. Left out of the run, with a word about it, where there is none. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { findKubectl } from './find-kubectl.ts'
import { MERGE } from './raw-client.ts'
import { contractServer } from './server.ts'

const kubectlPath = findKubectl()
if (!kubectlPath) throw new Error('install kubectl, or leave test/contract/kubectl.test.ts out: there is none on the PATH')
const run = promisify(execFile)
const server = await contractServer()
// A discovery cache of its own: the one in the home directory may know another server at the same address.
const home = await mkdtemp(join(tmpdir(), 'nodewave-kubectl-'))
afterAll(() => rm(home, { recursive: true }))

// On a busy machine each kubectl takes seconds to start.
vi.setConfig({ testTimeout: 120_000 })

const NODE = '/api/v1/nodes/contract-kubectl'
const ROOT = join(import.meta.dirname, '../..')
const NODE_COLUMNS = join(ROOT, 'examples/node-columns.txt')
const PODS = `/api/v1/namespaces/${server.namespace}/pods`

/** What it prints; its exit code and errors are the exception's. */
async function kubectl(...args: string[]): Promise<string> {
  const env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: home }
  const { stdout } = await run(kubectlPath ?? '', ['--namespace', server.namespace, ...args], { env })
  return stdout.trim()
}

async function applied(manifest: object, ...args: string[]): Promise<string> {
  const env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: home }
  const child = run(kubectlPath ?? '', ['--namespace', server.namespace, 'apply', ...args, '-f', '-'], { env })
  child.child.stdin?.end(JSON.stringify(manifest))
  return (await child).stdout.trim()
}

const rows = (table: string) => table.split('\n').map((line) => line.trim().split(/\s{2,}/))

beforeEach(async () => {
  await server.send('DELETE', NODE)
  const status = {
    nodeInfo: { kubeletVersion: 'v1.36.3' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
  }
  await server.send('POST', '/api/v1/nodes', { body: { metadata: { name: 'contract-kubectl' }, status } })
})

test('get shows nodes, narrow and wide', async () => {
  const narrow = rows(await kubectl('get', 'node', 'contract-kubectl'))
  const wide = rows(await kubectl('get', 'no', 'contract-kubectl', '-o', 'wide'))

  expect(narrow[0]).toEqual(['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'])
  expect([narrow[1]?.[0], narrow[1]?.[1], narrow[1]?.[2], narrow[1]?.[4]]).toEqual([
    'contract-kubectl',
    'Ready',
    '<none>',
    'v1.36.3',
  ])
  expect(wide[0]?.slice(5)).toEqual(['INTERNAL-IP', 'EXTERNAL-IP', 'OS-IMAGE', 'KERNEL-VERSION', 'CONTAINER-RUNTIME'])
})

test('annotate, label and patch change what get reads', async () => {
  await kubectl('annotate', 'node', 'contract-kubectl', 'nodewave.io/hold=a person looks at it')
  await kubectl('label', 'node', 'contract-kubectl', 'tier=gold')
  await kubectl('patch', 'node', 'contract-kubectl', '--type=merge', '-p', '{"metadata":{"labels":{"other":"x"}}}')
  await kubectl('label', 'node', 'contract-kubectl', 'other-')

  expect(await kubectl('get', 'node', 'contract-kubectl', '-o', 'jsonpath={.metadata.annotations.nodewave\\.io/hold}')).toBe(
    'a person looks at it',
  )
  expect(await kubectl('get', 'nodes', '-l', 'tier=gold', '-o', 'name')).toBe('node/contract-kubectl')
  expect(await kubectl('get', 'nodes', '-l', 'other', '-o', 'name')).toBe('')
})

test('get shows nodes in the columns of the examples', async () => {
  await kubectl('annotate', 'node', 'contract-kubectl', 'nodewave.io/hold=a person looks at it')
  const table = rows(await kubectl('get', 'node', 'contract-kubectl', '-o', `custom-columns-file=${NODE_COLUMNS}`))

  expect(table).toEqual([
    ['NODE', 'POOL', 'KUBELET', 'CORDONED', 'HELD', 'REPORT'],
    ['contract-kubectl', '<none>', 'v1.36.3', '<none>', 'a person looks at it', '<none>'],
  ])
})

test('kustomize puts image, repository and credential of the overlay in docs/install.md into the Deployment', async () => {
  const page = await readFile(join(ROOT, 'docs/install.md'), 'utf8')
  const [, overlay = ''] = /^```yaml\n# overlay\/kustomization\.yaml\n([\s\S]*?)^```$/m.exec(page) ?? []
  const folder = join(home, 'overlay')
  await cp(join(ROOT, 'deploy'), join(home, 'deploy'), { recursive: true })
  await mkdir(folder)
  await writeFile(join(folder, 'kustomization.yaml'), overlay)
  const objects = parseAllDocuments(await kubectl('kustomize', folder)).map((document) => document.toJSON())
  const { containers } = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec

  expect(containers[0].image).toBe('registry.example.com/nodewave:0.1.0')
  expect(containers[0].args).toEqual([
    'controller',
    '--repo=https://git.example.com/fleet.git',
    '--branch=main',
    '--namespace=nodewave-system',
    '--revisions-namespace=nodewave-revisions',
    '--state-dir=/var/lib/nodewave',
    '--log-format=json',
    '--metrics-address=:8080',
    '--dashboard-port=8081',
    '--token-file=/etc/nodewave/git/token',
  ])
  expect(containers[0].volumeMounts).toContainEqual({ name: 'git', mountPath: '/etc/nodewave/git', readOnly: true })
})

test('a label that is there already is not overwritten unasked', async () => {
  await kubectl('label', 'node', 'contract-kubectl', 'tier=gold')

  await expect(kubectl('label', 'node', 'contract-kubectl', 'tier=silver')).rejects.toThrow("'tier' already has a value (gold)")
  expect(await kubectl('label', 'node', 'contract-kubectl', 'tier=silver', '--overwrite')).toBe('node/contract-kubectl labeled')
})

test('taint adds and removes a taint', async () => {
  await kubectl('taint', 'node', 'contract-kubectl', 'dedicated=gpu:NoSchedule')
  await kubectl('taint', 'node', 'contract-kubectl', 'node.kubernetes.io/not-ready-')

  expect(await kubectl('get', 'node', 'contract-kubectl', '-o', 'jsonpath={.spec.taints[*].key}')).toBe('dedicated')
})

test('describe tells of the node, its conditions and its events', async () => {
  await server.send('POST', '/api/v1/namespaces/default/events', {
    body: {
      metadata: { generateName: 'contract-kubectl.' },
      involvedObject: { kind: 'Node', name: 'contract-kubectl', uid: 'contract-kubectl', apiVersion: 'v1' },
      type: 'Normal',
      reason: 'ContractHeld',
      message: 'it was described',
      source: { component: 'contract' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
    },
  })
  const text = await kubectl('describe', 'node', 'contract-kubectl')

  expect(text).toMatch(/^Name: +contract-kubectl$/m)
  expect(text).toMatch(/^ +Kubelet Version: +v1\.36\.3$/m)
  expect(text).toMatch(/Ready +True .*KubeletReady/)
  expect(text).toMatch(/ContractHeld .*it was described/)
})

test('cordon and uncordon mark the node and take the mark back', async () => {
  await kubectl('cordon', 'contract-kubectl')
  const cordoned = await kubectl('get', 'node', 'contract-kubectl', '-o', 'jsonpath={.spec.unschedulable}')
  await kubectl('uncordon', 'contract-kubectl')

  expect(cordoned).toBe('true')
  expect(await kubectl('get', 'node', 'contract-kubectl', '-o', 'jsonpath={.spec.unschedulable}')).toBe('')
})

test('drain evicts the pods of the node, and waits until they are gone', async () => {
  const spec = { nodeName: 'contract-kubectl', containers: [{ name: 'c', image: 'example.com/c:1' }] }
  await server.send('POST', PODS, { body: { metadata: { name: 'drained' }, spec } })
  const watch = await server.watch(`${PODS}?watch=true&fieldSelector=metadata.name%3Ddrained`)
  const drain = kubectl('drain', 'contract-kubectl', '--force', '--timeout=100s')
  const marked = (async () => {
    for (let event = await watch.next(); !event.value.object.metadata.deletionTimestamp; ) event = await watch.next()
  })()
  await Promise.race([marked, drain])
  // The kubelet's part.
  await server.send('DELETE', `${PODS}/drained`, { body: { gracePeriodSeconds: 0 } })

  expect(await drain).toContain('pod/drained evicted')
})

test('wait returns when the condition comes', async () => {
  const waiting = kubectl('wait', 'node/contract-kubectl', '--for=condition=Upgraded', '--timeout=100s')
  const status = { conditions: [{ type: 'Upgraded', status: 'True' }] }
  await server.send('PATCH', `${NODE}/status`, { body: { status }, headers: MERGE })

  expect(await waiting).toBe('node/contract-kubectl condition met')
})

test('apply makes, leaves and changes, and forgets what is no longer there', async () => {
  const map = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data })
  const outcomes = [
    await applied(map({ a: '1', b: '1' })),
    await applied(map({ a: '1', b: '1' })),
    await applied(map({ a: '2' })),
    await applied(map({ a: '2', c: '3' }), '--server-side', '--force-conflicts', '--field-manager=contract'),
  ]

  expect(outcomes).toEqual([
    'configmap/applied created',
    'configmap/applied unchanged',
    'configmap/applied configured',
    'configmap/applied serverside-applied',
  ])
  expect(JSON.parse(await kubectl('get', 'cm', 'applied', '-o', 'jsonpath={.data}'))).toEqual({ a: '2', c: '3' })
})

test('a misspelt field is refused before anything is written', async () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'misspelt' }, dta: { a: '1' } }

  await expect(applied(map)).rejects.toThrow('unknown field "dta"')
})

test('delete waits until the object is gone', async () => {
  await applied({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'deleted' } })

  expect(await kubectl('delete', 'configmap', 'deleted')).toMatch(/^configmap "deleted" deleted/)
  expect(await kubectl('get', 'configmap', 'deleted', '--ignore-not-found', '-o', 'name')).toBe('')
})

test('api-resources knows the short names', async () => {
  const found = rows(await kubectl('api-resources', '--api-group=policy', '--no-headers'))

  expect(found).toEqual([['poddisruptionbudgets', 'pdb', 'policy/v1', 'true', 'PodDisruptionBudget']])
})

test('create makes what its arguments say', async () => {
  const outcomes = [
    await kubectl('create', 'configmap', 'created', '--from-literal=a=1'),
    await kubectl('create', 'secret', 'generic', 'created', '--from-literal=a=1'),
    await kubectl('create', 'deployment', 'created', '--image=example.com/c:1', '--replicas=2'),
    await kubectl('create', 'job', 'created', '--image=example.com/c:1', '--', 'true'),
    await kubectl('create', 'poddisruptionbudget', 'created', '--selector=app=web', '--min-available=50%'),
    await kubectl('create', 'role', 'created', '--verb=get', '--resource=pods'),
  ]

  expect(outcomes).toEqual([
    'configmap/created created',
    'secret/created created',
    'deployment.apps/created created',
    'job.batch/created created',
    'poddisruptionbudget.policy/created created',
    'role.rbac.authorization.k8s.io/created created',
  ])
  const found = await kubectl(
    'get',
    'cm/created',
    'secret/created',
    'deployment/created',
    'pdb/created',
    'role/created',
    '-o',
    'json',
  )
  expect(JSON.parse(found).items).toMatchObject([
    { data: { a: '1' } },
    { data: { a: 'MQ==' }, type: 'Opaque' },
    { spec: { replicas: 2, template: { spec: { containers: [{ name: 'c', image: 'example.com/c:1' }] } } } },
    { spec: { minAvailable: '50%', selector: { matchLabels: { app: 'web' } } } },
    { rules: [{ verbs: ['get'], resources: ['pods'] }] },
  ])
})

test('create makes a namespace', async () => {
  const name = `${server.namespace}-made`
  const made = await kubectl('create', 'namespace', name)
  const phase = await kubectl('get', 'namespace', name, '-o', 'jsonpath={.status.phase}')
  await server.send('DELETE', `/api/v1/namespaces/${name}`)

  expect([made, phase]).toEqual([`namespace/${name} created`, 'Active'])
})

test('create says when the object is there already', async () => {
  await kubectl('create', 'configmap', 'twice')

  await expect(kubectl('create', 'configmap', 'twice')).rejects.toThrow('configmaps "twice" already exists')
})

test('auth can-i and auth whoami answer', async () => {
  expect(await kubectl('auth', 'can-i', 'patch', 'nodes')).toMatch(/yes$/)
  expect(await kubectl('auth', 'can-i', '--list')).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m)
  expect(await kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.groups}')).toContain('system:authenticated')
})

test('debug puts a pod on the node', async () => {
  const said = await kubectl('debug', 'node/contract-kubectl', '--image=example.com/c:1', '--profile=general')
  const [name = ''] = /node-debugger-\S+/.exec(said) ?? []

  expect(said).toMatch(
    /^Creating debugging pod node-debugger-contract-kubectl-\w+ with container debugger on node contract-kubectl\.$/m,
  )
  expect(await kubectl('get', 'pod', name, '-o', 'jsonpath={.spec.nodeName} {.spec.hostPID}')).toBe('contract-kubectl true')
})
