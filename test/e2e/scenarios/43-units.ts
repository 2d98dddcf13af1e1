/** Units of every type by push: started, changed, undone with what triggers what, and taken out while they run, on the real systemd. */
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'units', nodes: [{}, {}], group: 'fleet', run: units }]

interface Place {
  readonly cluster: Cluster
  readonly product: Product
  readonly nodes: readonly Node[]
}

const SLEEP = 'ExecStart=/bin/sleep infinity'
/** Where the plain service says that its own command stopped it. */
const STOPPED = '/run/plain-stopped'

/** Of the host's own administrator: systemd stops it together with the socket. */
const THEIRS = { path: '/etc/systemd/system/theirs.service', content: `[Unit]\nRequires=talk.socket\n[Service]\n${SLEEP}\n` }
/** The word shows which commit they are of. Nothing but the timer is told to run. */
const unitsOf = (word: string) => [
  { name: 'plain.service', content: `[Unit]\nDescription=${word}\n[Service]\n${SLEEP}\nExecStop=/bin/touch ${STOPPED}\n` },
  { name: 'tick.service', content: `[Service]\nType=oneshot\nExecStart=/bin/sh -c "echo ${word} > /run/tick"\n` },
  { name: 'tick.timer', content: '[Timer]\nOnActiveSec=1s\nOnUnitActiveSec=1s\nAccuracySec=1ms\n', state: 'running' },
  { name: 'talk.service', content: `[Unit]\nDescription=${word}\n[Service]\n${SLEEP}\n` },
  { name: 'talk.socket', content: `[Socket]\nListenStream=/run/talk-${word}\n` },
  { name: 'srv-shelf.mount', content: `[Mount]\nWhat=shelf-${word}\nWhere=/srv/shelf\nType=tmpfs\n` },
  { name: 'srv-lazy.mount', content: `[Mount]\nWhat=lazy-${word}\nWhere=/srv/lazy\nType=tmpfs\n` },
  { name: 'srv-lazy.automount', content: '[Automount]\nWhere=/srv/lazy\n' },
  { name: 'many@.service', content: `[Unit]\nDescription=${word}\n[Service]\n${SLEEP}\n` },
  { name: 'many@a.service', restartOn: ['/etc/many.conf'] },
]
const BY_HAND = ['plain.service', 'talk.socket', 'talk.service', 'srv-shelf.mount', 'srv-lazy.automount', 'many@a.service']
const ALL = [...BY_HAND, 'srv-lazy.mount', 'tick.timer']
const FAILING = { name: 'failing.service', content: '[Service]\nType=oneshot\nExecStart=/bin/false\n', state: 'running' }

async function units(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const place = { cluster, product, nodes: [cluster.node('n1'), cluster.node('n2')] }
  await product.settle(fleetWith([]))
  await part('push, and started by hand → all run', () => started(place))
  await part('push of others → all run as the commit says', () => changed(place))
  await part('taken out by a commit that fails → all run again', () => undone(place))
  await part('taken out while a mount is in use → undone, and the pool says why', () => refused(place))
  await part('declares a mount made by hand → refused, and it stays as it is', () => mountedByHand(place))
  await part('taken out → stopped, and unknown', () => takenOut(place))
}

function fleetWith(found: readonly object[]) {
  return { version: versions.olderKubelet, host: { units: found } }
}

async function started({ product, nodes }: Place): Promise<void> {
  await product.settle(fleetWith(unitsOf('one')))
  for (const node of nodes) {
    await node.write(THEIRS)
    await node.exec(['systemctl', 'daemon-reload'])
    await node.exec(['systemctl', 'start', ...BY_HAND, 'theirs.service'])
    await allRun(node, 'one')
  }
}

async function changed({ product, nodes }: Place): Promise<void> {
  await product.settle(fleetWith(unitsOf('two')))
  for (const node of nodes) await allRun(node, 'two')
}

/** The first node undoes it; the other never gets it. */
async function undone(place: Place): Promise<void> {
  for (const node of place.nodes) await node.exec(['rm', '-f', STOPPED])
  await rejected(place, { units: [FAILING], reason: 'UnitNotStarted' })
  for (const node of place.nodes) await allRun(node, 'two')
  const stopped = await Promise.all(place.nodes.map((node) => node.output(['find', STOPPED], { allowFailure: true })))
  check('the plain service was stopped by its own command', stopped.includes(STOPPED), stopped)
}

async function refused(place: Place): Promise<void> {
  // No WorkingDirectory=: with it, systemd stops the service for the mount.
  const user = ['systemd-run', '--unit=user-of-shelf', '/bin/sh', '-c', 'cd /srv/shelf && exec sleep infinity']
  for (const node of place.nodes) await node.exec(user)
  await rejected(place, { units: [{ name: 'other.service', content: `[Service]\n${SLEEP}\n` }], reason: 'UnitNotStopped' })
  for (const node of place.nodes) {
    await allRun(node, 'two')
    await node.exec(['systemctl', 'stop', 'user-of-shelf'])
  }
}

async function mountedByHand(place: Place): Promise<void> {
  const mount = 'mkdir -p /srv/hand && mount -t tmpfs by-hand /srv/hand && touch /srv/hand/theirs'
  for (const node of place.nodes) await node.exec(['sh', '-c', mount])
  const declared = { name: 'srv-hand.mount', content: '[Mount]\nWhat=declared\nWhere=/srv/hand\nType=tmpfs\n' }
  await rejected(place, { units: [...unitsOf('two'), declared], reason: 'MountedByHand' })
  for (const node of place.nodes) {
    const found = await node.output(['sh', '-c', 'grep -c "^by-hand /srv/hand " /proc/mounts; ls /srv/hand'])
    check(`"${node.name}" has the mount`, found === '1\ntheirs', found)
    await node.exec(['umount', '/srv/hand'])
  }
}

async function rejected(
  { cluster, product, nodes }: Place,
  { units: found, reason }: { readonly units: readonly object[]; readonly reason: string },
): Promise<void> {
  const commit = await product.push(fleetWith(found), `${reason} is to come of it`)
  await waitPool(cluster, {
    for: 'the commit to be rejected',
    when: ({ rejected: all }) => all.some(({ revision }) => revision === commit),
  })
  const reasons = await Promise.all(nodes.map(reasonOn))
  check('a node names the reason', reasons.includes(reason), reasons.join(' '))
}

async function takenOut({ product, nodes }: Place): Promise<void> {
  await product.settle(fleetWith([]))
  for (const node of nodes) {
    const found = await Promise.all(ALL.map((unit) => stateOf(node, unit)))
    check(
      `"${node.name}" knows none of them`,
      found.every((state) => state === 'not-found inactive'),
      found,
    )
    const mounts = await node.output(['sh', '-c', 'grep /srv/ /proc/mounts || true'])
    check(`nothing is mounted on "${node.name}"`, mounts === '', mounts)
    const failed = await node.output(['systemctl', 'list-units', '--failed', '--no-legend', '--plain', ...ALL, FAILING.name])
    check(`"${node.name}" names none of them as failed`, failed === '', failed)
  }
}

/** The automount mounts when somebody looks. */
async function allRun(node: Node, word: string): Promise<void> {
  await node.exec(['ls', '/srv/lazy'])
  const isTicking = async () => (await node.output(['cat', '/run/tick'])) === word
  await waitUntil(isTicking, { for: `the timer on "${node.name}" to write "${word}"` })
  const found = await Promise.all(ALL.map(async (unit) => `${unit} ${await stateOf(node, unit)}`))
  check(
    `all run on "${node.name}"`,
    found.every((line) => line.endsWith(' loaded active')),
    found,
  )
  const theirs = await stateOf(node, 'theirs.service')
  check(`what requires the socket runs on "${node.name}"`, theirs === 'loaded active', theirs)
  const named = ['plain.service', 'talk.service', 'many@a.service']
  const words = await Promise.all(named.map((unit) => property(node, unit, 'Description')))
  check(
    `services on "${node.name}" are those of "${word}"`,
    words.every((each) => each === word),
    words,
  )
  const mounts = await node.output(['sh', '-c', `grep -c -e "^shelf-${word} " -e "^lazy-${word} " /proc/mounts`])
  check(`mounts on "${node.name}" are those of "${word}"`, mounts === '2', mounts)
}

async function stateOf(node: Node, unit: string): Promise<string> {
  return `${await property(node, unit, 'LoadState')} ${await property(node, unit, 'ActiveState')}`
}

function property(node: Node, unit: string, name: string): Promise<string> {
  return node.output(['systemctl', 'show', unit, `--property=${name}`, '--value'])
}

async function reasonOn(node: Node): Promise<string | undefined> {
  const { metadata } = await node.get()
  return parseAgentStatus(metadata.annotations?.['nodewave.io/status'])?.error?.reason
}
