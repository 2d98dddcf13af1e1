/** Who may do what: everything that nodewave needs is allowed by the manifests, and nothing else is. Asked of the real API server. */
import { join } from 'node:path'
import { versions } from '../build/versions.ts'
import { type ApiClient, type ApiRequest, createApiClient } from '../cluster/api-client.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { BREAK_GLASS } from '../product/break-glass.ts'
import { checkout } from '../product/checkout.ts'
import { completed, waitPool } from '../product/pool.ts'
import { productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'rights', nodes: [{}, {}], group: 'fleet', run: rights }]

const ours = 'nodewave-system'
const revisions = 'nodewave-revisions'
const gates = 'nodewave-gates'
const proof = 'nodewave-proof'
/** And the lease. */
const account = 'nodewave-controller'
const controller = {
  user: `system:serviceaccount:${ours}:${account}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${ours}`, 'system:authenticated'],
}
/** A person to whom the roles of an operator are bound, as deploy/operator-rbac.yaml says. */
const operator = { user: 'ada', groups: ['nodewave-operators', 'system:authenticated'] }
const kubelet = { user: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] }

/** `[namespace/]resource[:name]`, resources of a group as `resource.group`; or a path that is no resource, as `/version`. */
type Grants = readonly (readonly [verbs: string, resource: string])[]

/** Of deploy/gates-rbac.yaml; without it the controller has none of these. */
const forGates: Grants = [
  ['get', `${gates}/cronjobs.batch`],
  ['get create', `${gates}/jobs.batch`],
  ['list', 'deployments.apps'],
  ['list', 'statefulsets.apps'],
  ['list', 'daemonsets.apps'],
]

/** Of deploy/secrets-rbac.yaml; without it the controller has none of these. */
const forSecrets: Grants = [['get list watch create patch delete', `${ours}/secrets`]]

/** Of deploy/secret-refs-rbac.yaml, likewise. */
const forSecretRefs: Grants = [
  ['list watch', 'nodewave-secrets/secrets'],
  ['get list watch create patch delete', `${revisions}/secrets`],
]
const beyondSecretRefs: Grants = [['get create update patch delete', 'nodewave-secrets/secrets']]

interface Row {
  readonly who: typeof kubelet
  readonly may: Grants
  readonly mayNot: Grants
}

const table: readonly Row[] = [
  {
    who: controller,
    may: [
      ['list watch patch', 'nodes'],
      ['get list watch create patch delete', 'nodepools.nodewave.io'],
      ['update', 'nodepools/status.nodewave.io'],
      ['get list watch create patch delete', `${ours}/configmaps`],
      ['get list watch create patch delete', `${revisions}/configmaps`],
      ['get list watch create update', `${ours}/leases.coordination.k8s.io:${account}`],
      ['create', 'default/events'],
      ['list watch', 'kube-system/pods'],
      ['list watch', 'ceilings.nodewave.io'],
      ['get', '/version'],
      ['list watch', 'pods'],
      ['create', 'pods/eviction'],
      ['list watch create delete', `${proof}/pods`],
      ['list watch', `${proof}/events`],
      ['list watch', 'poddisruptionbudgets.policy'],
      ['list watch create patch', `${ours}/roles.rbac.authorization.k8s.io`],
      ['list watch create patch', `${ours}/rolebindings.rbac.authorization.k8s.io`],
    ],
    mayNot: [
      ['create update patch delete deletecollection', 'ceilings.nodewave.io'],
      ['get update delete deletecollection bind escalate', `${ours}/roles.rbac.authorization.k8s.io`],
      ['get update delete deletecollection', `${ours}/rolebindings.rbac.authorization.k8s.io`],
      ['list create patch', `${revisions}/roles.rbac.authorization.k8s.io`],
      ['list create patch', 'kube-system/roles.rbac.authorization.k8s.io'],
      ['list create patch', 'kube-system/rolebindings.rbac.authorization.k8s.io'],
      ['create patch', 'clusterrolebindings.rbac.authorization.k8s.io'],
      ['create update delete deletecollection', 'nodes'],
      ['get create update patch delete deletecollection', 'pods'],
      ['get update patch deletecollection', `${proof}/pods`],
      ['create', `${proof}/pods/exec`],
      ['update patch', `${proof}/pods/status`],
      ['list get create', `${proof}/secrets`],
      ['list get create', `${proof}/configmaps`],
      ['create', `${proof}/serviceaccounts/token`],
      ['update patch', 'pods/status'],
      ['create', 'pods/exec'],
      ['create', 'pods/binding'],
      ['get create update patch delete', 'poddisruptionbudgets.policy'],
      ['update patch', 'poddisruptionbudgets/status.policy'],
      ['get create update patch delete deletecollection', 'kube-system/pods'],
      ['create', 'kube-system/pods/exec'],
      ['get', '/metrics'],
      ['get create', 'nodes/proxy'],
      ['update patch', 'nodes/status'],
      ['get list create update patch delete', 'kube-system/configmaps'],
      ['update deletecollection', `${ours}/configmaps`],
      ['update deletecollection', `${revisions}/configmaps`],
      ['patch delete deletecollection', `${ours}/leases.coordination.k8s.io:${account}`],
      ['get list watch create update', `${ours}/leases.coordination.k8s.io`],
      ['get update', 'kube-system/leases.coordination.k8s.io:kube-scheduler'],
      ['get list', 'secrets'],
      ['update deletecollection', `${ours}/secrets`],
      ['create', `${ours}/serviceaccounts/token`],
      ['create', `${ours}/pods`],
      ['create patch', 'customresourcedefinitions.apiextensions.k8s.io'],
      ['get list watch create update patch delete deletecollection', `${ours}/cronjobs.batch`],
      ['get list watch create update patch delete deletecollection', `${ours}/jobs.batch`],
      ['list watch create update patch delete deletecollection', `${gates}/cronjobs.batch`],
      ['list watch update patch delete deletecollection', `${gates}/jobs.batch`],
      ['update patch', `${gates}/jobs/status.batch`],
      ['get list create update patch delete', `${gates}/secrets`],
      ['get list create update patch delete', `${gates}/configmaps`],
      ['create', `${gates}/serviceaccounts/token`],
      ['get create patch delete', `${gates}/pods`],
      ['create', `${gates}/pods/exec`],
      ['get create', 'default/jobs.batch'],
      ['get', 'kube-system/cronjobs.batch'],
      ['get watch create update patch delete', 'deployments.apps'],
      ['get watch create update patch delete', 'statefulsets.apps'],
      ['get watch create update patch delete', 'daemonsets.apps'],
      ['patch', 'deployments/scale.apps'],
      ['list', 'replicasets.apps'],
      ['create patch bind escalate', 'clusterroles.rbac.authorization.k8s.io'],
      ['create patch', 'validatingadmissionpolicies.admissionregistration.k8s.io'],
      ['impersonate', 'users'],
    ],
  },
  {
    who: operator,
    may: [
      ['get list watch patch', 'nodepools.nodewave.io'],
      ['get list patch', 'nodes'],
      ['get patch', `${ours}/configmaps:nodewave-fleet`],
      ['list', 'default/events'],
      ['list', 'ceilings.nodewave.io'],
      ['create', 'selfsubjectreviews.authentication.k8s.io'],
      ['create', 'selfsubjectaccessreviews.authorization.k8s.io'],
      ['write', 'nodecontrols.nodewave.io'],
    ],
    mayNot: [
      ['create update delete deletecollection', 'nodepools.nodewave.io'],
      ['get watch create update patch delete deletecollection', 'ceilings.nodewave.io'],
      ['update patch', 'nodepools/status.nodewave.io'],
      ['create update delete', 'nodes'],
      ['update patch', 'nodes/status'],
      ['list create delete', `${ours}/configmaps`],
      ['get patch', `${ours}/configmaps:workers-kubelet-0123456789`],
      ['get list', `${ours}/secrets`],
      ['get watch create update patch delete deletecollection', 'default/events'],
      ['get list create delete', `${ours}/jobs.batch`],
      ['get list delete', 'pods'],
      ['impersonate', 'users'],
    ],
  },
  {
    who: kubelet,
    may: [
      ['get list watch', 'nodes:n1'],
      ['patch', 'nodes:n1'],
    ],
    mayNot: [
      ['get', `${ours}/configmaps:workers-kubelet-0123456789`],
      ['get list watch create update patch delete', `${ours}/roles.rbac.authorization.k8s.io`],
      ['get list watch create update patch delete', `${ours}/rolebindings.rbac.authorization.k8s.io`],
      ['list watch create update patch delete', `${ours}/configmaps`],
      ['get', `${revisions}/configmaps:fleet-0123456789ab-0`],
      ['list watch create update patch delete', `${revisions}/configmaps`],
      ['get', 'kube-system/configmaps:kubeadm-config'],
      ['get', `${ours}/secrets:nodewave-git`],
      ['get list watch create update patch delete', `${gates}/configmaps`],
      ['get create', `${gates}/jobs.batch`],
      ['get list watch create update patch delete', `${ours}/leases.coordination.k8s.io:${account}`],
      ['get list watch', 'nodes'],
      ['get', 'nodes:n2'],
      ['get list watch create update patch delete', 'nodepools.nodewave.io'],
      ['get list watch create update patch delete', 'ceilings.nodewave.io'],
      ['update patch', 'nodepools/status.nodewave.io'],
    ],
  },
]

async function rights(cluster: Cluster, { part }: Report): Promise<void> {
  await productOn(cluster)
  await bindOperators(cluster)
  const without: Row = { who: controller, may: [], mayNot: [...forGates, ...forSecrets, ...forSecretRefs] }
  await part('table of rights', () => holds(cluster, [...table, without]))
  await cluster.kubectl(['apply', '--warnings-as-errors', '-f', join(checkout, 'deploy/gates-rbac.yaml')])
  const withGates: Row = { who: controller, may: forGates, mayNot: [] }
  await part('the same, with those for gates', () => holds(cluster, [...table, withGates]))
  await cluster.kubectl(['apply', '--warnings-as-errors', '-f', join(checkout, 'deploy/secrets-rbac.yaml')])
  await part('the same, with those for secrets', () =>
    holds(cluster, [...table, { who: controller, may: [...forGates, ...forSecrets], mayNot: forSecretRefs }]),
  )
  await cluster.kubectl(['apply', '--warnings-as-errors', '-f', join(checkout, 'deploy/secret-refs-rbac.yaml')])
  const withRefs: Row = { who: controller, may: [...forGates, ...forSecrets, ...forSecretRefs], mayNot: beyondSecretRefs }
  await part('the same, with those for Secrets of the cluster', () => holds(cluster, [...table, withRefs]))
  await part('what a kubelet may write on Nodes', async () => {
    await admissionInEffect(cluster)
    await writes(cluster)
  })
  await part('each kubelet reads its own payloads alone', () => reads(cluster))
}

/**
 * Two pools of one node each, asked with the credentials that the kubelets have. No scenario before has these contents: for ten minutes a node
 * may read what it ran before.
 */
async function reads(cluster: Cluster): Promise<void> {
  const { push } = await productOn(cluster)
  const only = (name: string, maxPods: number) => ({
    version: versions.olderKubelet,
    config: { maxPods },
    host: { files: [{ path: '/etc/rights.conf', content: `${name}\n` }] },
    selector: { 'kubernetes.io/hostname': name },
  })
  const commit = await push({ ...only('n1', 71), others: { second: only('n2', 72) } }, 'two pools')
  for (const pool of ['workers', 'second']) await waitPool(cluster, { pool, for: `Ready at ${commit}`, when: completed(commit) })
  const payloads = new Map(await Promise.all(['n1', 'n2'].map(async (name) => [name, await payloadsOf(cluster, name)] as const)))
  for (const name of ['n1', 'n2']) {
    const asKubelet = createApiClient(cluster.server, cluster.certificates, name)
    for (const [owner, names] of payloads)
      for (const payload of names) {
        const { status } = await asKubelet.send(`/api/v1/namespaces/${ours}/configmaps/${payload}`, { method: 'GET' })
        check(`"${name}" asks for "${payload}" of "${owner}"`, status === (name === owner ? 200 : 403), status)
      }
  }
}

async function payloadsOf(cluster: Cluster, name: string): Promise<readonly string[]> {
  const { annotations = {} } = (await cluster.node(name).get()).metadata
  const { KUBELET_CONFIG, HOST_CONFIG } = JSON.parse(annotations['nodewave.io/desired-config'] ?? '{}')
  const names = [KUBELET_CONFIG, HOST_CONFIG].filter((payload) => payload !== undefined)
  check(`"${name}" names payloads`, names.length > 0, annotations)
  return names
}

/** An API server authorizes from a cache of its own, which learns of new roles a moment after they were accepted. */
async function holds(cluster: Cluster, rows: readonly Row[]): Promise<void> {
  const right = async () => {
    const wrong = await wrongRows(cluster, rows)
    check('every answer is as the table says', wrong.length === 0, wrong)
    return true
  }
  await waitUntil(right, { for: 'the rights to be in effect' })
}

async function bindOperators(cluster: Cluster): Promise<void> {
  const role = ['nodewave-operators', '--group=nodewave-operators', '--save-config']
  await cluster.kubectl(['create', 'clusterrolebinding', ...role, '--clusterrole=nodewave-operator'])
  await cluster.kubectl(['-n', ours, 'create', 'rolebinding', ...role, '--role=nodewave-operator'])
}

async function wrongRows(cluster: Cluster, rows: readonly Row[]): Promise<string[]> {
  const wrong = rows.flatMap(({ who, may, mayNot }) => [ask(cluster, who, may, true), ask(cluster, who, mayNot, false)])
  return (await Promise.all(wrong)).flat()
}

/** A policy is compiled a moment after it was accepted; until then everything passes. */
function admissionInEffect(cluster: Cluster): Promise<true> {
  const asKubelet = createApiClient(cluster.server, cluster.certificates, 'n1')
  const body = annotated({ [foreign[0] ?? '']: '{}' })
  const refused = async () => {
    const { status } = await asKubelet.send('/api/v1/nodes/n1?dryRun=All', { method: 'PATCH', body })
    return status === 403
  }
  return waitUntil(refused, { for: 'the admission policy to be in effect' })
}

/** Gives the rows whose answer is another than expected. */
async function ask({ api }: Cluster, { user, groups }: typeof kubelet, grants: Grants, expected: boolean): Promise<string[]> {
  const questions = grants.flatMap(([verbs, resource]) => verbs.split(' ').map((verb) => ({ verb, resource })))
  const answers = questions.map(async ({ verb, resource }) => {
    const spec = { user, groups, ...attributesOf(verb, resource) }
    const review = { method: 'POST', body: { spec } } as const
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    const { status } = await api.ask<{ status: { allowed: boolean } }>(path, review)
    return status.allowed === expected ? [] : [`${user} ${verb} ${resource}: ${status.allowed ? 'allowed' : 'refused'}`]
  })
  return (await Promise.all(answers)).flat()
}

function attributesOf(verb: string, text: string): object {
  if (text.startsWith('/')) return { nonResourceAttributes: { verb, path: text } }
  const [, namespace = '', resource = '', subresource = '', group = '', name = ''] =
    /^(?:(nodewave-[a-z]+|kube-system|default)\/)?([a-z]+)(?:\/([a-z]+))?(?:\.([a-z0-9.]+))?(?::(.+))?$/.exec(text) ?? []
  check('a row of the table can be read', resource !== '', text)
  return { resourceAttributes: { verb, namespace, resource, subresource, group, name } }
}

const reported = { 'nodewave.io/status': '{}', 'nodewave.io/current-config': '{}' }
const foreign = ['desired-config', 'cordoned-for', 'hold', 'hold-by', 'history', 'anything-new'].map(
  (key) => `nodewave.io/${key}`,
)

const controls = ['nodewave.io/hold', 'nodewave.io/hold-by']

/** Through the admission that follows authorization; nothing is kept of it. */
async function writes(cluster: Cluster): Promise<void> {
  const asKubelet = createApiClient(cluster.server, cluster.certificates, 'n1')
  const person = cluster.api
  await person.ask('/api/v1/nodes/n1', { method: 'PATCH', body: annotated({ 'nodewave.io/hold': 'tests' }) })
  await cluster.kubectl([...BREAK_GLASS, 'label', '--overwrite', 'node', 'n1', 'nodewave.io/pool=workers'])
  try {
    for (const path of ['n1', 'n1/status']) {
      await allowed(asKubelet, path, annotated(reported))
      await allowed(asKubelet, path, annotated({ 'example.com/other': 'x' }))
      for (const key of foreign) await refused(asKubelet, path, annotated({ [key]: '{"KUBELET_OPTS":"--v=9"}' }))
      await refused(asKubelet, path, annotated({ 'nodewave.io/hold': null }))
      await refused(asKubelet, path, { metadata: { labels: { 'nodewave.io/pool': 'control-plane' } } })
      await refused(asKubelet, path, { metadata: { labels: { 'nodewave.io/pool': null } } })
    }
    await refused(asKubelet, 'n2', annotated(reported))
    await refused(asKubelet, 'n2/status', annotated(reported))
    await refused(asKubelet, 'n1', applied(), 'application/apply-patch+yaml')
    const node = await asKubelet.ask<{ metadata: { annotations: object } }>('/api/v1/nodes/n1')
    // Of no version: the kubelet's own heartbeat may come in between.
    const put = (annotations: object) => ({
      ...node,
      metadata: { ...node.metadata, resourceVersion: undefined, annotations: { ...node.metadata.annotations, ...annotations } },
    })
    await answered(asKubelet, 'n1', { method: 'PUT', body: put(reported) }, 200)
    await answered(asKubelet, 'n1', { method: 'PUT', body: put({ 'nodewave.io/desired-config': '{}' }) }, 403)
    await answered(asKubelet, '', { method: 'POST', body: registration({}) }, 409)
    await answered(asKubelet, '', { method: 'POST', body: registration({ labels: { 'nodewave.io/pool': 'gpu' } }) }, 403)
    await answered(asKubelet, '', { method: 'POST', body: registration(annotated({ [foreign[0] ?? '']: '{}' }).metadata) }, 403)
    for (const key of foreign) await (controls.includes(key) ? allowed : refused)(person, 'n1', annotated({ [key]: '{}' }))
  } finally {
    await person.ask('/api/v1/nodes/n1', { method: 'PATCH', body: annotated({ 'nodewave.io/hold': null }) })
  }
}

function annotated(annotations: Readonly<Record<string, string | null>>) {
  return { metadata: { annotations } }
}

/** As a kubelet makes its own Node; that it is there already is found out last. */
function registration(metadata: object) {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', ...metadata } }
}

function applied() {
  return { apiVersion: 'v1', kind: 'Node', ...annotated({ 'nodewave.io/desired-config': '{}' }) }
}

function allowed(client: ApiClient, path: string, body: object): Promise<void> {
  return answered(client, path, { method: 'PATCH', body }, 200)
}

function refused(client: ApiClient, path: string, body: object, contentType?: string): Promise<void> {
  return answered(client, path, { method: 'PATCH', body, ...(contentType === undefined ? {} : { contentType }) }, 403)
}

async function answered(client: ApiClient, path: string, request: ApiRequest, wanted: number): Promise<void> {
  const query = request.contentType === undefined ? 'dryRun=All' : 'dryRun=All&fieldManager=rights&force=true'
  const { status, body } = await client.send<{ message?: string }>(`/api/v1/nodes${path && `/${path}`}?${query}`, request)
  const what = `${request.method} ${path} ${JSON.stringify(request.body).slice(0, 200)}`
  check(`${what} is answered with ${wanted}`, status === wanted, { status, message: body.message })
}
