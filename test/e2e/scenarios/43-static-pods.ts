/** A static pod from Git: run, changed, undone when its image is broken, of one node alone, and taken back; the kubelet runs on. */
import { stringify } from 'yaml'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { TEST_IMAGE } from '../build/images.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { fleetFiles } from '../product/fleet.ts'
import { waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'static-pods', nodes: [{}, {}], group: 'fleet', run: staticPods }]

const PATH = '/etc/kubernetes/manifests/beacon.yaml'

interface Place {
  readonly cluster: Cluster
  readonly product: Product
  readonly nodes: readonly Node[]
}

async function staticPods(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await product.settle(fleetWith())
  const place = { cluster, product, nodes: [cluster.node('n1'), cluster.node('n2')] }
  const before = await kubeletsOf(place)
  await part('push → the pod runs on each node, and the pool is complete', () => changed(place, 'one'))
  await part('an image that nobody has → undone, and the pool says why', () => undone(place))
  await part('push → the next pod runs', () => changed(place, 'two'))
  await part('a manifest as a file of one node → its pod runs there alone', () => ofOneNode(place))
  await part('taken out of Git → the pods end', () => takenOut(place))
  const after = await kubeletsOf(place)
  check('no kubelet was restarted', after === before, `${before} → ${after}`)
}

async function changed({ cluster, product, nodes }: Place, word: string): Promise<void> {
  await product.settle(fleetWith({ image: TEST_IMAGE, word }))
  for (const node of nodes) {
    const pod = await shown(cluster, node)
    check(`${node.name} runs the pod of the commit`, pod === `${word} true`, pod)
  }
}

async function undone({ cluster, product, nodes }: Place): Promise<void> {
  const commit = await product.push(fleetWith({ image: 'registry.invalid/beacon:1', word: 'broken' }), 'an image that nobody has')
  await waitPool(cluster, {
    for: 'the commit to be rejected',
    when: ({ rejected }) => rejected.some(({ revision }) => revision === commit),
  })
  const reasons = await Promise.all(nodes.map(reasonOn))
  check('a node names the reason', reasons.includes('StaticPodNotReady'), reasons.join(' '))
  for (const node of nodes)
    await waitUntil(async () => (await shown(cluster, node)) === 'one true', { for: `the pod before on ${node.name}` })
}

/** A file in the directory that the kubelet reads is no field of its own: nothing proves its pod but the kubelet that runs it. */
async function ofOneNode({ cluster, product, nodes }: Place): Promise<void> {
  const [own, other] = nodes as [Node, Node]
  const files = [{ path: '/etc/kubernetes/manifests/own.yaml', content: manifest({ image: TEST_IMAGE, word: 'own' }, 'own') }]
  const override = {
    apiVersion: 'nodewave.io/v1alpha1',
    kind: 'NodeOverride',
    metadata: { name: 'own' },
    spec: { node: own.name, files },
  }
  const fleet = await fleetFiles(cluster, fleetWith({ image: TEST_IMAGE, word: 'two' }))
  const push = (text: string | undefined) => product.repository.push({ ...fleet, 'own.yaml': text }, 'a pod of one node')
  await product.settled(await push(stringify(override)))
  await waitUntil(async () => (await shown(cluster, own, 'own')) === 'own true', { for: `the pod of "${own.name}"` })
  check('the other node has none', (await shown(cluster, other, 'own')) === 'none')
  await product.settled(await push(undefined))
  await waitUntil(async () => (await shown(cluster, own, 'own')) === 'none', { for: `no pod of "${own.name}" alone` })
}

async function takenOut({ cluster, product, nodes }: Place): Promise<void> {
  await product.settle(fleetWith())
  for (const node of nodes) {
    await waitUntil(async () => (await shown(cluster, node)) === 'none', { for: `no pod on ${node.name}` })
    const left = await node.output(['find', '/etc/kubernetes/manifests', '-type', 'f'])
    check(`${node.name} has no manifest`, left === '', left)
  }
}

function fleetWith(pod?: { readonly image: string; readonly word: string }, readyTimeout = '30s') {
  const host = pod && { staticPods: [{ path: PATH, content: manifest(pod), readyTimeout }] }
  return { version: versions.olderKubelet, ...(host && { host }) }
}

function manifest({ image, word }: { readonly image: string; readonly word: string }, name = 'beacon'): string {
  const command = ['sh', '-c', 'trap "exit 0" TERM; sleep 86400 & wait']
  const container = { name: 'main', image, imagePullPolicy: 'IfNotPresent', command, env: [{ name: 'WORD', value: word }] }
  const spec = { hostNetwork: true, terminationGracePeriodSeconds: 1, containers: [container] }
  return stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'kube-system' }, spec })
}

interface Pod {
  readonly spec: { readonly containers: readonly { readonly env?: readonly { readonly value: string }[] }[] }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

/** The word of the mirror pod, and whether it is Ready. */
async function shown(cluster: Cluster, node: Node, name = 'beacon'): Promise<string> {
  const { status, body } = await cluster.api.send<Pod>(`/api/v1/namespaces/kube-system/pods/${name}-${node.name}`)
  if (status !== 200) return 'none'
  const ready = body.status.conditions?.find(({ type }) => type === 'Ready')
  return `${body.spec.containers[0]?.env?.[0]?.value} ${ready?.status === 'True'}`
}

async function reasonOn(node: Node): Promise<string | undefined> {
  const { metadata } = await node.get()
  return parseAgentStatus(metadata.annotations?.['nodewave.io/status'])?.error?.reason
}

/** Their processes. */
async function kubeletsOf({ nodes }: Place): Promise<string> {
  const found = nodes.map((node) => node.output(['systemctl', 'show', 'kubelet', '--property=MainPID', '--value']))
  return (await Promise.all(found)).join(' ')
}
