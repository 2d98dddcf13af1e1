/** The controller as users run it: its image in a containerd, and the Deployment of deploy/ under the rules of its namespace, applied and by the chart. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { stringify } from 'yaml'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { type Chart, chartFor, checkOneSource } from '../product/chart.ts'
import { checkout } from '../product/checkout.ts'
import { controllerImage, importImage } from '../product/images.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'image', nodes: [{}], builds: ['helm'], run: controllerInImage }]

const deployment = 'nodewave-controller'
const inNamespace = ['-n', 'nodewave-system']

async function controllerInImage(cluster: Cluster, { part, say }: Report): Promise<void> {
  const product = await productOn(cluster)
  await product.settle({ version: versions.olderKubelet })
  const built = await part('image built', () => controllerImage(cluster))
  const again = await part('… and built again', () => controllerImage(cluster))
  check('the same sources are the same image', again.digest === built.digest, [built.digest, again.digest])
  await part('image imported', () => importImage(cluster.node('n1'), built.path))
  await product.controller.kill('SIGTERM')
  await part('kubectl apply -k → two controllers run', () => applied(cluster, product))
  const commit = await part('push → Ready by a controller in a pod', async () => {
    const pushed = await product.push({ version: versions.olderKubelet, config: { maxPods: 77 } }, 'maxPods by the image')
    await waitPool(cluster, { for: `Ready at ${pushed}`, when: completed(pushed) })
    return pushed
  })
  const holder = await cluster.kubectl([...inNamespace, 'get', 'lease', deployment, '-o', 'jsonpath={.spec.holderIdentity}'])
  check('a pod leads', holder.startsWith(`${deployment}-`), holder)
  say(`${holder} led ${commit}`)
  await inChart(cluster, product, part)
}

/** The same objects as a release of Helm, which takes over what `kubectl apply -k` made, and leaves the kinds when it goes. */
async function inChart(cluster: Cluster, product: Product, part: Report['part']): Promise<void> {
  const chart = await part('helm lint; the chart gives what deploy/ has', async () => {
    const made = await chartFor(cluster)
    await checkOneSource(cluster, made)
    await checkRefused(made)
    return made
  })
  await part('helm install takes over → two controllers run', () => installed(cluster, product, chart))
  await part('push → Ready by a controller of the release', async () => {
    const pushed = await product.push({ version: versions.olderKubelet, config: { maxPods: 78 } }, 'maxPods by the chart')
    await waitPool(cluster, { for: `Ready at ${pushed}`, when: completed(pushed) })
  })
  await part('the fleet of a release is paused, and resumed', async () => {
    const annotate = ['annotate', 'configmap', 'nodewave-fleet', ...inNamespace]
    await cluster.kubectl([...annotate, 'nodewave.io/paused=cooling'])
    await waitPool(cluster, { for: 'a pause', when: ({ observedControls }) => observedControls?.fleetPaused === 'cooling' })
    await cluster.kubectl([...annotate, 'nodewave.io/paused-'])
  })
  await part('helm uninstall → kinds and pools stay', async () => {
    await chart.helm(['uninstall', 'nodewave', ...inNamespace, '--wait'])
    const left = await cluster.kubectl(['get', 'nodepools', '-o', 'name'])
    check('the pools stay', left.startsWith('nodepool.nodewave.io/'), left)
    const deployments = await cluster.kubectl(['get', 'deployments', '-A', '-o', 'name'])
    check('no controller is left', deployments === '', deployments)
  })
}

async function installed(cluster: Cluster, product: Product, { helm, folder }: Chart): Promise<void> {
  const server = new URL(cluster.server)
  const env = [
    { name: 'KUBERNETES_SERVICE_HOST', value: server.hostname },
    { name: 'KUBERNETES_SERVICE_PORT', value: server.port },
  ]
  const values = { repository: { url: product.repository.url }, controller: { options: ['--poll=1s'], env } }
  const file = join(cluster.slot.dir, 'values.yaml')
  await writeFile(file, stringify(values))
  await helm([
    'install',
    'nodewave',
    folder,
    ...inNamespace,
    '--values',
    file,
    '--take-ownership',
    '--force-conflicts',
    '--wait',
    '--timeout',
    '3m',
  ])
}

/** Wrong values end with their name, before anything is sent. */
async function checkRefused({ helm, folder }: Chart): Promise<void> {
  const refusals = {
    'state the URL of the fleet repository': [],
    replicas: ['--set', 'repository.url=https://git.example.com/f.git,controller.replicas=0'],
    webhok: ['--set', 'repository.url=https://git.example.com/f.git,webhok.enabled=true'],
  }
  for (const [words, args] of Object.entries(refusals)) {
    const { code, stderr } = await helm(['template', 'nodewave', folder, ...args], { allowFailure: true })
    check(`helm refuses, and names "${words}"`, code !== 0 && stderr.includes(words), stderr)
  }
}

/** The overlay of docs/install.md. No kube-proxy leads pods of these nodes to the API server: they are told its address. */
async function applied(cluster: Cluster, product: Product): Promise<void> {
  const folder = join(cluster.slot.dir, 'overlay')
  await mkdir(folder, { recursive: true })
  const container = '/spec/template/spec/containers/0'
  const server = new URL(cluster.server)
  const patch = [
    { op: 'replace', path: `${container}/args/1`, value: `--repo=${product.repository.url}` },
    { op: 'add', path: `${container}/env/-`, value: { name: 'KUBERNETES_SERVICE_HOST', value: server.hostname } },
    { op: 'add', path: `${container}/env/-`, value: { name: 'KUBERNETES_SERVICE_PORT', value: server.port } },
    { op: 'add', path: `${container}/args/-`, value: '--poll=1s' },
  ]
  const overlay = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(folder, join(checkout, 'deploy'))],
    patches: [{ target: { kind: 'Deployment', name: deployment }, patch: stringify(patch) }],
  }
  await writeFile(join(folder, 'kustomization.yaml'), stringify(overlay))
  await cluster.kubectl(['apply', '--warnings-as-errors', '-k', folder])
  const ready = ['get', 'deployment', deployment, '-o', 'jsonpath={.status.readyReplicas}']
  await waitUntil(async () => (await cluster.kubectl([...inNamespace, ...ready])) === '2', { for: 'two controllers to be ready' })
}
