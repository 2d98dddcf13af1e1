/** Machines reboot: asked for by an operator, and by the host itself; drained, one at a time, and under a budget that is kept. */
import { type AgentStatus, parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { assignedNodes } from '../product/course.ts'
import { type Operator, operatorOf } from '../product/operator.ts'
import { waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { type Moment, startTimeline } from '../timeline.ts'
import { deploy, sampleAvailability, waitPodsReady } from '../workload.ts'

export const scenarios: readonly Scenario[] = [{ name: 'reboot', nodes: [{}, {}], group: 'fleet', run: reboot }]

const name = 'till'
const replicas = 4
const fleet = { version: versions.olderKubelet, rollout: { drain: { mode: 'Auto' } } }

async function reboot(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const operator = await operatorOf(cluster, 'grace')
  await product.settle(fleet)
  await deploy(cluster, { name, replicas, minAvailable: 3 })
  await using sampler = sampleAvailability(cluster, name)
  await part('nodewave reboot of a pool → every machine has rebooted', () => asked(cluster, operator))
  await waitPodsReady(cluster, { name, replicas })
  await part('a host that requires a reboot is shown, and left alone', () => required(cluster, operator))
  await part('rollout.reboot InWindows → it reboots', () => inWindows(cluster, product))
  await part('a change that breaks the kubelet at the next boot → undone by one more reboot', () => undone(cluster, product))
  check('never fewer pods than the budget allows', sampler.samples() > 20 && sampler.fewest() >= 3, sampler.fewest())
  await cluster.kubectl(['delete', `deployment/${name}`, `poddisruptionbudget/${name}`])
}

async function asked(cluster: Cluster, operator: Operator): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const before = await bootsOf(cluster)
  const digests = await digestsOf(cluster)
  const { code, stdout, stderr } = await operator('reboot', 'workers', '--reason', 'firmware', '--wait', '--timeout', '5m')
  check('the command waits for the end', code === 0 && stdout.includes('workers: rebooted'), { code, stdout, stderr })
  const after = await bootsOf(cluster)
  check('every machine has another boot', !Object.keys(before).some((node) => before[node] === after[node]), { before, after })
  check('the content is the same', JSON.stringify(await digestsOf(cluster)) === JSON.stringify(digests))
  await isSettled(cluster)
  checkOrder(await timeline.upToNow(), Object.keys(before))
  const { stdout: status } = await operator('history', 'workers')
  check('the history says who asked', /Reboot n1, n2 "firmware"/.test(status), status)
}

async function required(cluster: Cluster, operator: Operator): Promise<void> {
  const before = await bootsOf(cluster)
  const node = cluster.node('n1')
  await node.write({ path: '/run/reboot-required', content: '*** System restart required ***\n' })
  await node.write({ path: '/run/reboot-required.pkgs', content: 'linux-image-amd64\n' })
  await node.exec(['systemctl', 'restart', 'nodewave-agent'])
  const shown = await waitPool(cluster, { for: 'a required reboot', when: ({ reboots = [] }) => reboots.length > 0 })
  check('the pool says which node, and why', shown.reboots?.[0]?.because === '/run/reboot-required, linux-image-amd64', shown)
  check('nobody has ordered it', shown.reboots?.[0]?.state === 'Required', shown.reboots)
  check('the status says so', (await operator('status')).stdout.includes('to reboot: n1 (Required'))
  check('no machine has rebooted', JSON.stringify(await bootsOf(cluster)) === JSON.stringify(before))
}

async function inWindows(cluster: Cluster, product: Product): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const before = await bootsOf(cluster)
  const rollout = { ...fleet.rollout, reboot: { whenRequired: 'InWindows', timeout: '5m' } }
  await product.push({ ...fleet, rollout }, 'machines reboot when they have to')
  await waitUntil(async () => (await bootsOf(cluster)).n1 !== before.n1, { for: 'n1 to reboot' })
  await isSettled(cluster)
  check('the other machine has not rebooted', (await bootsOf(cluster)).n2 === before.n2)
  checkOrder(await timeline.upToNow(), ['n1'])
}

/** It hides the kubelet's certificates: what undoes it counts only after another boot. */
const HIDES_CERTIFICATES = `[Unit]
Before=kubelet.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mount -t tmpfs none /var/lib/kubelet/pki
[Install]
WantedBy=multi-user.target
`

async function undone(cluster: Cluster, product: Product): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const before = await bootsOf(cluster)
  const unit = { name: 'bad-boot.service', content: HIDES_CERTIFICATES, enabled: true }
  const host = { units: [unit], rebootOn: ['/etc/systemd/system/bad-boot.service'] }
  const bad = await product.push({ ...fleet, host }, 'a unit that hides the certificates of the kubelet')
  await waitPool(cluster, {
    for: 'the commit to have failed',
    when: ({ rejected, nodes }) => rejected.some(({ revision }) => revision === bad) && (nodes.byPhase.Failed ?? 0) === 1,
  })
  const [failed, ...others] = assignedNodes(await timeline.upToNow(), bad)
  const node = cluster.node(failed ?? '')
  check('one node was given it', others.length === 0, others)
  const { error, reboot } = await statusOf(cluster, node.name)
  check('its agent says why', error?.reason === 'HealthCheckFailed', error)
  check('nothing is left to reboot for', reboot === undefined, reboot)
  check('it has rebooted', (await bootsOf(cluster))[node.name] !== before[node.name])
  check('the unit is gone', (await node.output(['sh', '-c', 'ls /etc/systemd/system/bad-boot.service || true'])).trim() === '')
  check('the certificates are there', (await node.output(['ls', '/var/lib/kubelet/pki'])).includes('kubelet-client-current.pem'))
  await product.settle(fleet)
  await isSettled(cluster)
}

async function statusOf(cluster: Cluster, name: string): Promise<AgentStatus> {
  const { metadata } = await cluster.node(name).get()
  const status = parseAgentStatus(metadata.annotations?.['nodewave.io/status'])
  check(`the agent of "${name}" has reported`, status !== undefined)
  return status
}

/** Nobody has to reboot any more, no request is left, and nobody is cordoned. */
async function isSettled(cluster: Cluster): Promise<void> {
  await waitPool(cluster, {
    for: 'Ready without reboots',
    when: ({ reboots = [], conditions }) =>
      reboots.length === 0 && conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  })
  const calm = async () => {
    const nodes = await Promise.all(cluster.nodes.map((node) => node.get()))
    return nodes.every(({ metadata, spec }) => !spec.unschedulable && metadata.annotations?.['nodewave.io/reboot'] === undefined)
  }
  await waitUntil(calm, { for: 'requests and cordons to be removed' })
}

/** Each was cordoned when it was told to reboot, told so once, and never two at a time. */
function checkOrder(moments: readonly Moment[], nodes: readonly string[]): void {
  const cordoned = new Set<string>()
  const ordered = new Map<string, Set<string>>()
  let most = 0
  for (const { node, cordoned: isCordoned, annotations } of moments) {
    if (isCordoned) cordoned.add(node)
    else cordoned.delete(node)
    most = Math.max(most, cordoned.size)
    const { REBOOT, ASSIGNED } = JSON.parse(annotations['desired-config'] ?? '{}') as Record<string, string>
    if (REBOOT === undefined || ordered.get(node)?.has(ASSIGNED ?? '')) continue
    check(`"${node}" was cordoned before it was told to reboot`, isCordoned)
    ordered.set(node, (ordered.get(node) ?? new Set()).add(ASSIGNED ?? ''))
  }
  check('never two nodes were cordoned at once', most === 1, most)
  check(
    'each was told once',
    nodes.every((node) => ordered.get(node)?.size === 1),
    [...ordered.keys()],
  )
}

async function bootsOf(cluster: Cluster): Promise<Readonly<Record<string, string>>> {
  const nodes = await Promise.all(cluster.nodes.map((node) => node.get()))
  return Object.fromEntries(nodes.map(({ metadata, status }) => [metadata.name, status.nodeInfo.bootID]))
}

async function digestsOf(cluster: Cluster): Promise<Readonly<Record<string, unknown>>> {
  const nodes = await Promise.all(cluster.nodes.map((node) => node.get()))
  const digestIn = (text = '{}') => (JSON.parse(text) as { DIGEST?: string }).DIGEST
  return Object.fromEntries(
    nodes.map(({ metadata }) => [metadata.name, digestIn(metadata.annotations?.['nodewave.io/desired-config'])]),
  )
}
