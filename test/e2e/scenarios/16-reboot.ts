/** Machines reboot: asked for by an operator, by the host itself, and by a commit; drained, one at a time, and under a budget that is kept. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { assignedNodes, checkOneByOne } from '../product/course.ts'
import { type Operator, operatorOf } from '../product/operator.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { timeReboot } from '../product/reboot-parts.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { type Moment, startTimeline, type Timeline } from '../timeline.ts'
import { deploy, podsOf, sampleAvailability, waitPodsReady } from '../workload.ts'

export const scenarios: readonly Scenario[] = [{ name: 'reboot', nodes: [{}, {}], group: 'fleet', run: reboot }]

const name = 'till'
const replicas = 4
const fleet = { version: versions.olderKubelet, rollout: { drain: { mode: 'Auto' } } }

async function reboot(cluster: Cluster, report: Report): Promise<void> {
  const { part } = report
  const product = await productOn(cluster)
  const operator = await operatorOf(cluster, 'edsger')
  await product.settle(fleet)
  await deploy(cluster, { name, replicas, minAvailable: 3 })
  await using sampler = sampleAvailability(cluster, name)
  await part('nodewave reboot of a pool → every machine has rebooted', () => asked(cluster, operator, report))
  await waitPodsReady(cluster, { name, replicas })
  await part('a host that requires a reboot is shown, and left alone', () => required(cluster, operator))
  await part('rollout.reboot InWindows → it reboots', () => inWindows(cluster, product))
  await waitPodsReady(cluster, { name, replicas })
  await part('a file that counts after a reboot → it is in force on every machine', () => counted(cluster, product))
  await waitPodsReady(cluster, { name, replicas })
  await part('a kernel argument that does not count after the boot → undone by one more boot', () => undone(cluster, product))
  check('never fewer pods than the budget allows', sampler.samples() > 20 && sampler.fewest() >= 3, sampler.fewest())
  await cluster.kubectl(['delete', `deployment/${name}`, `poddisruptionbudget/${name}`])
}

async function asked(cluster: Cluster, operator: Operator, report: Report): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const before = await bootsOf(cluster)
  const digests = await digestsOf(cluster)
  const askedAt = performance.now()
  const { code, stdout, stderr } = await operator('reboot', 'workers', '--reason', 'firmware', '--wait', '--timeout', '5m')
  check('the command waits for the end', code === 0 && stdout.includes('workers: rebooted'), { code, stdout, stderr })
  const after = await bootsOf(cluster)
  check('every machine has another boot', !Object.keys(before).some((node) => before[node] === after[node]), { before, after })
  check('the content is the same', JSON.stringify(await digestsOf(cluster)) === JSON.stringify(digests))
  await isSettled(cluster)
  checkOrder(await timeline.upToNow(), Object.keys(before))
  await timeReboot(timeline, { asked: askedAt, boots: before, report })
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

/** systemd reads it when the machine starts, and then makes the other. */
const AT_BOOT = { path: '/etc/tmpfiles.d/till.conf', content: 'f /run/till 0644 - - - open\n' }

async function counted(cluster: Cluster, product: Product): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const [before, boots, pods] = await Promise.all([bootsOf(cluster), countBoots(cluster), podNames(cluster)])
  const host = { files: [AT_BOOT], rebootOn: [AT_BOOT.path] }
  const commit = await product.push({ ...fleet, host }, 'a file that counts after a reboot')
  await areDrainedBefore(cluster, { timeline, before })
  await product.settled(commit)
  await isCalm(cluster)
  const after = await bootsOf(cluster)
  check('every machine has another boot', !Object.keys(before).some((node) => before[node] === after[node]), { before, after })
  for (const node of cluster.nodes) await isInForce(node)
  const counts = await countBoots(cluster)
  check('each has booted once', !Object.keys(boots).some((node) => counts[node] !== (boots[node] ?? 0) + 1), { boots, counts })
  const moments = await timeline.upToNow()
  checkOneByOne(moments, commit)
  for (const { name: node } of cluster.nodes) checkCordonedToGoDown(moments, node)
  check('never two nodes were cordoned at once', mostCordoned(moments) === 1, mostCordoned(moments))
  const left = await podNames(cluster)
  check('every pod was evicted', !left.some((pod) => pods.includes(pod)), { pods, left })
  await product.settle(fleet)
  check('to give it back without rebootOn takes no reboot', JSON.stringify(await bootsOf(cluster)) === JSON.stringify(after))
}

/** The machine has started with the file, and the agent went on with the change that was under way. */
async function isInForce(node: Node): Promise<void> {
  check(`the file counts on ${node.name}`, (await node.read('/run/till')) === 'open')
  const words = await node.output(['journalctl', '--boot', '--unit=nodewave-agent', '--output=cat', '--no-pager'])
  check('the agent took up the change after the boot', words.includes('transaction recovered ending=kept phase=Applied'), words)
}

interface Reboots {
  readonly timeline: Timeline
  /** The boots that are to end. */
  readonly before: Readonly<Record<string, string>>
}

/** Each machine, when its agent has it reboot or it goes down, runs no pod of the deployment any more; the object of one that has ended may stay. */
async function areDrainedBefore(cluster: Cluster, { timeline, before }: Reboots): Promise<void> {
  const seen: string[] = []
  const goesDown = ({ node, ready, annotations }: Moment): boolean =>
    !seen.includes(node) && (!ready || (annotations.status ?? '').includes('"reason":"Rebooting"'))
  while (seen.length < cluster.nodes.length) {
    const { node, boot } = await timeline.first(goesDown, 'a machine to go down')
    const there = (await podsOf(cluster, name)).filter(({ spec, status }) => spec.nodeName === node && !hasEnded(status.phase))
    check(`"${node}" was drained before it went down`, boot === before[node] && there.length === 0, there)
    seen.push(node)
  }
}

function hasEnded(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}

async function podNames(cluster: Cluster): Promise<readonly string[]> {
  return (await podsOf(cluster, name)).map(({ metadata }) => metadata.name)
}

const MENU = '/boot/grub/grub.cfg'
const ARGUMENT = 'nodewave_e2e=1'
const CALLS = '/var/log/grub-calls'
/** What the containers lack: a boot loader. Their kernel is that of the machine, so that no argument ever counts. */
const GRUB = [
  { path: '/etc/default/grub', content: 'GRUB_CMDLINE_LINUX=""\n' },
  {
    path: '/usr/sbin/update-grub',
    content: `#!/bin/sh
. /etc/default/grub
for file in /etc/default/grub.d/*.cfg; do [ ! -e "$file" ] || . "$file"; done
kernel=$(sed -n 's/.*BOOT_IMAGE=\\([^ ]*\\).*/\\1/p' /proc/cmdline)
mkdir -p /boot/grub
{
  echo "menuentry 'Debian' \\$menuentry_id_option 'simple' {"
  echo "linux \${kernel:-/vmlinuz} $(sed 's/BOOT_IMAGE=[^ ]* *//' /proc/cmdline) $GRUB_CMDLINE_LINUX"
  echo "}"
  for script in /etc/grub.d/*; do [ ! -x "$script" ] || "$script"; done
} > ${MENU}
`,
    mode: 0o755,
  },
  { path: '/usr/sbin/grub-reboot', content: `#!/bin/sh\ncp ${MENU} ${MENU}.tried\necho "once by $1" >> ${CALLS}\n`, mode: 0o755 },
  { path: '/usr/bin/grub-editenv', content: `#!/bin/sh\necho "$2 $3" >> ${CALLS}\n`, mode: 0o755 },
]

async function undone(cluster: Cluster, product: Product): Promise<void> {
  for (const node of cluster.nodes) {
    for (const file of GRUB) await node.write(file)
    await node.exec(['update-grub'])
  }
  const menu = await cluster.node('n1').read(MENU)
  const before = await countBoots(cluster)
  using timeline = await startTimeline(cluster.api)
  const host = { kernelArguments: [ARGUMENT] }
  const bad = await product.push({ ...fleet, host, rollout: { ...fleet.rollout, onFailure: 'Rollback' } }, 'a kernel argument')
  const status = await waitPool(cluster, { for: 'the failure', when: rolledBack(bad) })
  check('the pool says why', stallOf(status).includes(`the kernel was started without "${ARGUMENT}"`), stallOf(status))
  await isCalm(cluster)
  const moments = await timeline.upToNow()
  const [first = '', ...others] = assignedNodes(moments, bad)
  check('one node was given it', others.length === 0, others)
  const after = await countBoots(cluster)
  check('it has booted twice, and the other not', after[first] === (before[first] ?? 0) + 2, { before, after })
  for (const { name: other } of cluster.nodes)
    if (other !== first) check('the other node has not booted', after[other] === before[other], { before, after })
  checkCordoned(moments, first)
  const node = cluster.node(first)
  check('the boot menu is as before', (await node.read(MENU)) === menu, await node.read(MENU))
  const tried = await node.read(`${MENU}.tried`)
  check('before the boot, the machine was to start as before', tried.includes("set default='nodewave-former'"), tried)
  check('but once with the argument', (await node.read(CALLS)) === 'once by 0\nunset next_entry\n', await node.read(CALLS))
  check('no entry is left', (await node.output(['sh', '-c', 'ls /etc/grub.d 2>/dev/null || true'])) === '')
  check('the file is gone', (await node.output(['sh', '-c', 'ls /etc/default/grub.d 2>/dev/null || true'])) === '')
}

/** It is cordoned when it goes down, and no other node is. */
function checkCordoned(moments: readonly Moment[], node: string): void {
  const other = moments.find((moment) => moment.cordoned && moment.node !== node)
  check('only the node of the change was cordoned', other === undefined, other)
  checkCordonedToGoDown(moments, node)
}

function checkCordonedToGoDown(moments: readonly Moment[], node: string): void {
  const down = moments.find((moment) => moment.node === node && !moment.ready)
  check(`"${node}" was cordoned when it went down`, down === undefined || down.cordoned, down)
}

/** How many nodes were cordoned at once. */
function mostCordoned(moments: readonly Moment[]): number {
  const cordoned = new Set<string>()
  const counts = moments.map((moment) => {
    if (moment.cordoned) cordoned.add(moment.node)
    else cordoned.delete(moment.node)
    return cordoned.size
  })
  return Math.max(0, ...counts)
}

/** How often each machine was started, as its journal tells. */
async function countBoots(cluster: Cluster): Promise<Readonly<Record<string, number>>> {
  const counts = cluster.nodes.map(async (node) => {
    const boots = await node.output(['journalctl', '--list-boots', '--no-pager'])
    return [node.name, boots.split('\n').filter((line) => /^\s*-?\d+ /.test(line)).length] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

/** Nobody has to reboot any more, no request is left, and nobody is cordoned. */
async function isSettled(cluster: Cluster): Promise<void> {
  await waitPool(cluster, {
    for: 'Ready without reboots',
    when: ({ reboots = [], conditions }) =>
      reboots.length === 0 && conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  })
  await isCalm(cluster)
}

/** No request is left, and nobody is cordoned. */
async function isCalm(cluster: Cluster): Promise<void> {
  const calm = async () => {
    const nodes = await Promise.all(cluster.nodes.map((node) => node.get()))
    return nodes.every(({ metadata, spec }) => !spec.unschedulable && metadata.annotations?.['nodewave.io/reboot'] === undefined)
  }
  await waitUntil(calm, { for: 'requests and cordons to be removed' })
}

/** Each was cordoned when it was ordered to reboot, ordered so once, and never two at a time. Orders of before are there from the beginning. */
function checkOrder(moments: readonly Moment[], nodes: readonly string[]): void {
  const told = new Map<string, string>()
  const orders: string[] = []
  for (const { node, cordoned, annotations } of moments) {
    const { REBOOT = '' } = JSON.parse(annotations['desired-config'] ?? '{}') as { readonly REBOOT?: string }
    const isNews = REBOOT !== '' && told.has(node) && told.get(node) !== REBOOT
    told.set(node, REBOOT)
    if (!isNews) continue
    check(`"${node}" was cordoned before it was ordered to reboot`, cordoned)
    orders.push(node)
  }
  check('never two nodes were cordoned at once', mostCordoned(moments) === 1, mostCordoned(moments))
  check('each was told once, and nobody else', orders.toSorted().join() === nodes.toSorted().join(), orders)
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
