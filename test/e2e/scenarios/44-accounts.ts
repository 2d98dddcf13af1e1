/** Users and groups by the programs of the distribution, and commands of the host's own policy around each change. */
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { installAgent } from '../product/agent.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'accounts', nodes: [{}, {}], group: 'fleet', run: accounts }]

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGRhLG5vdC1hLXJlYWwta2V5LW9mLXRoZS10ZXN0cyE ada@example.com'
const KEYS = '/etc/ssh/authorized_keys.d/ada'
const LOG = '/var/log/steps'
const fleet: FleetOptions = { version: versions.olderKubelet, rollout: { onFailure: 'Rollback' } }
const host = {
  groups: [{ name: 'crew', gid: 4300 }],
  users: [
    { name: 'ada', uid: 4200, groups: ['crew'], shell: '/bin/bash', sshKeys: [KEY] },
    { name: 'lodger', shell: '/bin/bash' },
  ],
  directories: [{ path: '/var/lib/ada', mode: '0750', owner: '4200' }],
  steps: { before: ['leave'], after: ['enter'] },
}

/** The steps write down what they were called with, and whether the account is there then. */
const STEP = `#!/bin/sh
getent passwd ada > /dev/null && there=there || there=missing
echo "$1 $there" >> ${LOG}
[ "$1" != fail ] || { echo "the balancer says no" >&2; exit 3; }
[ "$1" != reexec ] || { systemctl daemon-reexec; echo "systemd is another" >&2; exit 4; }
[ "$1" != bus ] || { systemctl restart dbus; sleep 3; echo "the bus is another" >&2; exit 5; }
`
const POLICY = `steps:
  leave: {command: [/usr/local/sbin/note, leave], undo: [/usr/local/sbin/note, back]}
  enter: {command: [/usr/local/sbin/note, enter], timeoutSeconds: 20}
  fail: {command: [/usr/local/sbin/note, fail]}
  reexec: {command: [/usr/local/sbin/note, reexec]}
  bus: {command: [/usr/local/sbin/note, bus]}
  slow: {command: [/bin/sleep, "600"], timeoutSeconds: 2}
`

async function accounts(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle(fleet))
  for (const node of cluster.nodes) await furnish(node)
  const before = await databasesOf(cluster)
  const kubelets = await kubeletsOf(cluster)
  await part('users and groups → pool Ready', () => product.settle({ ...fleet, host }))
  for (const node of cluster.nodes) await checkAccounts(node)
  for (const node of cluster.nodes) await checkSteps(node, ['leave missing', 'enter there'])
  await part('removed by hand → there again', () => removed(cluster))
  await part('steps that fail → undone', () => failing(cluster, product))
  await checkNotRestarted(cluster, kubelets)
  await part('nothing named → as before', () => product.settle(fleet))
  const after = await databasesOf(cluster)
  check('all accounts are as before', JSON.stringify(after) === JSON.stringify(before), { before, after })
  for (const node of cluster.nodes)
    await node.exec(['sh', '-c', `userdel lodger; rm -f /etc/nodewave/policy.yaml /usr/local/sbin/note ${LOG}`])
}

async function furnish(node: Node): Promise<void> {
  await node.exec(['useradd', '--shell', '/bin/sh', '--no-create-home', 'lodger'])
  await node.write({ path: '/usr/local/sbin/note', content: STEP, mode: 0o755 })
  await node.write({ path: '/etc/nodewave/policy.yaml', content: POLICY, mode: 0o644 })
}

/** In no order: the programs add at the end, and remove in the middle. */
function databasesOf(cluster: Cluster): Promise<readonly string[]> {
  return Promise.all(cluster.nodes.map((node) => node.output(['sort', '/etc/passwd', '/etc/group', '/etc/gshadow'])))
}

async function checkAccounts(node: Node): Promise<void> {
  const shown = async (...command: string[]) => node.output(command)
  const found = {
    ada: await shown('getent', 'passwd', 'ada'),
    groups: await shown('id', '--name', '--groups', 'ada'),
    password: await shown('passwd', '--status', 'ada'),
    keys: await shown('cat', KEYS),
    mode: await shown('stat', '--format=%a %U', KEYS, '/var/lib/ada'),
    lodger: (await shown('getent', 'passwd', 'lodger')).split(':').at(-1),
  }
  check(`"${node.name}" has the user`, found.ada === 'ada:x:4200:4200::/home/ada:/bin/bash', found)
  check('she is in the group', found.groups === 'ada crew', found)
  check('she has no password', found.password.startsWith('ada L '), found)
  check('her keys are where sshd reads them', found.keys === KEY && found.mode === '644 root\n750 ada', found)
  check('the user that was there has the shell', found.lodger === '/bin/bash', found)
}

async function checkSteps(node: Node, expected: readonly string[]): Promise<void> {
  const ran = (await node.read(LOG)).trim().split('\n')
  check(`"${node.name}" has run its steps`, JSON.stringify(ran) === JSON.stringify(expected), ran)
  await node.exec(['rm', LOG])
}

/** An agent that looks every five seconds, so that nobody waits for minutes. A repair runs no step. */
async function removed(cluster: Cluster): Promise<void> {
  const node = cluster.node('n1')
  await installAgent(node, { bundle: await bundleAgent(cluster.slot.dir), args: ['--drift-interval', '5'] })
  await node.exec(['systemctl', 'restart', 'nodewave-agent'])
  await node.exec(['userdel', 'ada'])
  await node.exec(['usermod', '--shell', '/bin/sh', 'lodger'])
  const isBack = async () => checkAccounts(node).then(() => true)
  await waitUntil(isBack, { for: 'the accounts to be as in Git' })
  check('no step was run', (await node.exec(['test', '-e', LOG], { allowFailure: true })).code === 1)
}

async function failing(cluster: Cluster, product: Product): Promise<void> {
  const users = [{ ...host.users[0], shell: '/bin/sh' }, host.users[1]]
  const broken = async (after: string, ...messages: string[]) => {
    const commit = await product.push({ ...fleet, host: { ...host, users, steps: { before: ['leave'], after: [after] } } }, after)
    const stall = stallOf(await waitPool(cluster, { for: `the failure of ${after}`, when: rolledBack(commit) }))
    for (const message of messages) check('the pool has the words of the step', stall.includes(message), { stall, message })
    for (const node of cluster.nodes) await checkAccounts(node)
  }
  await broken('fail', 'step "fail" (/usr/local/sbin/note): exit 3: the balancer says no')
  const logs = await Promise.all(cluster.nodes.map((node) => node.output(['sh', '-c', `cat ${LOG} 2>/dev/null || true`])))
  check('one node has tried it, and gone back', logs.filter((log) => log.includes('fail there\nback there')).length === 1, logs)
  // Of both, systemd-run says that all went well, with words of its own among the step's.
  await broken('reexec', 'step "reexec" (/usr/local/sbin/note): exit 4: ', 'systemd is another')
  await broken('bus', 'step "bus" (/usr/local/sbin/note): exit 5: ', 'the bus is another')
  await broken('slow', 'step "slow" (/bin/sleep): it took longer than 2 s')
  await broken('unknown', 'run step "unknown": the policy of this host has no such step')
  for (const node of cluster.nodes) {
    const units = await node.output(['systemctl', 'list-units', '--all', '--no-legend', '--no-pager', 'nodewave-step*'])
    check(`"${node.name}" has no unit of a step left`, units === '', units)
  }
}
