/** Agents that hold a public key obey what the controller signed, and nobody else: an administrator of the cluster neither. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSigningKey, signAssignment } from '../../../src/protocol/assignment-signature.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { output } from '../exec.ts'
import { BREAK_GLASS } from '../product/break-glass.ts'
import { checkout } from '../product/checkout.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { type Product, productOn } from '../product/product.ts'
import { allAt } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { type Moment, startTimeline } from '../timeline.ts'

/** A cluster of its own: its agents trust keys. */
export const scenarios: readonly Scenario[] = [{ name: 'signatures', nodes: [{}, {}], run: signatures }]

const trusted = '/etc/nodewave/trusted-keys'
const DESIRED = 'nodewave.io/desired-config'

async function signatures(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await part('nodewave installed', () => productOn(cluster))
  await part('fleet settled, nothing signed', () => product.settle({ version: versions.olderKubelet }))
  const [first, second] = [await generateKey(cluster, 'first'), await generateKey(cluster, 'second')]
  const before = await kubeletsOf(cluster)
  await part('keys switched on', () => switchTo(first, { cluster, product }))
  await checkNotRestarted(cluster, before)
  await part('a signed upgrade', () => product.settle({ version: versions.kubernetes }))
  await allAt(cluster, versions.kubernetes)
  const replayed = await assignmentOf(cluster, 'n1')
  await part('an unsigned assignment is refused', () => refuses(cluster, { text: UNSIGNED, reason: 'SignatureMissing' }))
  await part('one of before is refused', () => refuses(cluster, { text: replayed, reason: 'AssignmentReplayed' }))
  await part('one of another node is refused', async () => {
    await refuses(cluster, { text: await assignmentOf(cluster, 'n2'), reason: 'SignatureInvalid' })
  })
  await part('one that another key signed is refused', async () => {
    await refuses(cluster, { text: await forged(cluster), reason: 'SignatureInvalid' })
  })
  await part('one that was changed is refused', async () => {
    const text = (await assignmentOf(cluster, 'n1')).replace(/"GRANT":"\w+"/, '"GRANT":"reboot"')
    await refuses(cluster, { text, reason: 'SignatureInvalid' })
  })
  await part('a node that is deleted and made again is assigned again', () => madeAgain(cluster))
  await part('keys changed', async () => {
    await switchTo(second, { cluster, product })
    for (const node of cluster.nodes) await node.exec(['rm', `${trusted}/${first.id}.pem`])
  })
  await part('a change signed with the new key', () => product.settle({ version: versions.kubernetes, flags: { v: 3 } }))
}

interface Key {
  readonly id: string
  readonly privateFile: string
  readonly publicFile: string
}

async function generateKey(cluster: Cluster, name: string): Promise<Key> {
  const folder = join(cluster.slot.dir, 'keys', name)
  await mkdir(folder, { recursive: true })
  await output(process.execPath, [join(checkout, 'src/cli/main.ts'), 'keys', 'generate', '--out', folder])
  const file = (await readdir(folder)).find((each) => each.endsWith('.key')) ?? ''
  const id = file.slice('nodewave-'.length, -'.key'.length)
  return { id, privateFile: join(folder, file), publicFile: join(folder, `nodewave-${id}.pem`) }
}

interface Setting {
  readonly cluster: Cluster
  readonly product: Product
}

/** As docs/security.md says: where agents trust another key, they learn the new one first; where they trust none, last. */
async function switchTo(key: Key, { cluster, product }: Setting): Promise<void> {
  const trust = () =>
    Promise.all(cluster.nodes.map((node) => node.write({ path: `${trusted}/${key.id}.pem`, content: { file: key.publicFile } })))
  const isFirst = !(await isSigned(cluster))
  if (!isFirst) await trust()
  await product.controller.kill('SIGTERM')
  await product.restartController(undefined, [`--signing-key=${key.privateFile}`])
  await waitUntil(() => isSigned(cluster, key.id), { for: `every node to be signed with "${key.id}"` })
  if (isFirst) await trust()
}

async function isSigned({ nodes }: Cluster, id = ''): Promise<boolean> {
  const found = await Promise.all(nodes.map((node) => node.get()))
  return found.every(({ metadata }) => metadata.annotations?.[DESIRED]?.includes(`ed25519:${id}`))
}

const UNSIGNED = '{"KUBELET_OPTS":"--v=5"}'

async function assignmentOf(cluster: Cluster, name: string): Promise<string> {
  const { annotations = {} } = (await cluster.node(name).get()).metadata
  check(`"${name}" is assigned`, annotations[DESIRED] !== undefined, annotations)
  return annotations[DESIRED] ?? ''
}

/** By whoever has a key of their own, and all rights in the cluster. */
async function forged(cluster: Cluster): Promise<string> {
  const { privateFile } = await generateKey(cluster, 'foreign')
  const by = readSigningKey(await readFile(privateFile, 'utf8'))
  const { uid = '' } = (await cluster.node('n1').get()).metadata
  return JSON.stringify(signAssignment({ ...JSON.parse(UNSIGNED), COUNTER: Date.now() }, { node: uid, by }))
}

/** Its Node has another uid then: what was signed for the one before counts no more, and the pool signs again. */
async function madeAgain(cluster: Cluster): Promise<void> {
  const node = cluster.node('n1')
  const [{ metadata: before }, old] = [await node.get(), await assignmentOf(cluster, 'n1')]
  await cluster.kubectl(['delete', 'node', 'n1', '--wait=true'])
  await node.exec(['systemctl', 'restart', 'kubelet'])
  await waitUntil(() => isMadeAgain(cluster, before.uid), { for: 'the kubelet to make its Node again' })
  const hasApplied = async () => {
    const { annotations = {} } = (await node.get()).metadata
    const { [DESIRED]: assigned = old, 'nodewave.io/status': status = '' } = annotations
    return assigned !== old && status.includes('"phase":"Applied"')
  }
  await waitUntil(hasApplied, { for: '"n1" to have what its pool assigned again' })
  await refuses(cluster, { text: old, reason: 'SignatureInvalid' })
}

async function isMadeAgain(cluster: Cluster, before: string | undefined): Promise<boolean> {
  const names = (await cluster.kubectl(['get', 'nodes', '--output=name'])).split('\n')
  return names.includes('node/n1') && (await cluster.node('n1').get()).metadata.uid !== before
}

/**
 * Admission lets the break-glass group pass; the agent does not. The text has the content of the pool or none of a pool: another one of a
 * pool is replaced by the controller before the agent has told of it. Without the annotation, the pool assigns the node again.
 */
async function refuses(cluster: Cluster, { text, reason }: { readonly text: string; readonly reason: string }): Promise<void> {
  const before = await kubeletsOf(cluster)
  using timeline = await startTimeline(cluster.api)
  const annotate = (change: string) =>
    cluster.kubectl([...BREAK_GLASS, 'annotate', '--overwrite', 'node', 'n1', `${DESIRED}${change}`])
  const says =
    (...words: readonly string[]) =>
    ({ node, annotations: { status = '' } }: Moment) =>
      node === 'n1' && words.every((word) => status.includes(word))
  await annotate(`=${text}`)
  const refused = await timeline.first(says('"RolledBack"', `"${reason}"`), 'the refusal')
  await annotate('-')
  const applied = (moment: Moment) => moment.at > refused.at && says('"phase":"Applied"')(moment)
  await timeline.first(applied, '"n1" to have what its pool assigned')
  check('the assignment of the pool is signed', await isSigned(cluster))
  await checkNotRestarted(cluster, before)
}
