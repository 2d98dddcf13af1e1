import type { Command } from 'commander'
import type { KubeApi } from '../../kube/kube-api.ts'
import { namesFor } from '../../protocol/names.ts'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import { formatRebootRequest } from '../../protocol/reboot-order.ts'
import type { CliIo } from '../cli-io.ts'
import { counted, nameList } from '../paint.ts'
import { unknownName } from '../unknown-name.ts'
import type { AwaitedRecord, Effect } from './await-records.ts'
import { prefixOption } from './hold.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import type { ControlView } from './view.ts'

interface Flags extends VerbFlags {
  readonly annotationPrefix: string
  readonly reason?: string
  readonly cancel?: true
}

export function rebootCommand(io: CliIo): Command {
  return verbCommand('reboot')
    .description('reboot nodes, or all nodes of a pool: drained, in waves, within the budget and the windows of the pool')
    .argument('<names...>', 'nodes or pools')
    .option('--reason <text>', 'reason shown in the status')
    .option('--cancel', 'withdraw the requests; nodes that have begun finish')
    .addOption(prefixOption())
    .addHelpText('after', '\nExample:\n  $ nodewave reboot workers --reason "new firmware" --wait --timeout 2h')
    .action((names: readonly string[], flags: Flags) => runVerb(io, flags, (view) => intend(view, names, flags)))
}

async function intend(view: ControlView, names: readonly string[], flags: Flags): Promise<Intent> {
  const nodes = nodesOf(names, { pools: view.pools.map(({ name }) => name), nodes: await readNodes(view.kube, flags) })
  return flags.cancel ? cancel(nodes, flags) : ask(nodes, { view, flags })
}

interface RebootableNode {
  readonly name: string
  readonly pool?: string
  readonly boot: string
  readonly isAsked: boolean
}

async function readNodes(kube: KubeApi, { annotationPrefix }: Flags): Promise<RebootableNode[]> {
  const keys = namesFor(annotationPrefix)
  const { items } = await kube.list('/api/v1/nodes', {
    project: ({ metadata: { name, labels, annotations }, ...object }): RebootableNode => {
      const { nodeInfo } = (object.status ?? {}) as { readonly nodeInfo?: { readonly bootID?: string } }
      const pool = labels?.[keys.pool]
      const isAsked = annotations?.[keys.reboot] !== undefined
      return { name, boot: nodeInfo?.bootID ?? '', isAsked, ...(pool !== undefined && { pool }) }
    },
  })
  return items
}

/** @throws {Error} naming what is neither a node nor a pool, or both; nothing is written then. */
function nodesOf(
  names: readonly string[],
  { pools, nodes }: { readonly pools: readonly string[]; readonly nodes: readonly RebootableNode[] },
): RebootableNode[] {
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const missing = names.filter((name) => !byName.has(name) && !pools.includes(name))
  if (missing.length > 0)
    throw new Error(missing.map((name) => unknownName('node or pool', name, [...pools, ...byName.keys()])).join('\n'))
  const both = names.find((name) => byName.has(name) && pools.includes(name))
  if (both !== undefined) throw new Error(`"${both}" is a node and a pool: name the nodes of the pool`)
  const asked = new Set(names)
  return nodes.filter(({ name, pool }) => asked.has(name) || (pool !== undefined && asked.has(pool)))
}

/** @throws {Error} when a node would never be rebooted */
function ask(
  nodes: readonly RebootableNode[],
  { view: { by }, flags }: { readonly view: ControlView; readonly flags: Flags },
): Intent {
  const { reason = '', annotationPrefix } = flags
  const loose = nodes.filter(({ pool }) => pool === undefined).map(({ name }) => name)
  if (loose.length > 0) throw new Error(`cannot reboot ${nameList(loose)}: in no pool; nodewave reboots only nodes of pools`)
  const silent = nodes.filter(({ boot }) => boot === '').map(({ name }) => name)
  if (silent.length > 0)
    throw new Error(
      `cannot reboot ${nameList(silent)}: the Node has no status.nodeInfo.bootID, so its kubelet has not reported; wait until it has`,
    )
  if (nodes.length === 0) return { says: 'the pool has no nodes', writes: [], awaits: [] }
  const { reboot } = namesFor(annotationPrefix)
  return {
    says: `${counted(nodes.length, 'node')} to be rebooted: ${nameList(nodes.map(({ name }) => name))}${reason === '' ? '' : `; ${reason}`}`,
    writes: nodes.map(({ name, boot }) => ({
      on: { kind: 'Node', name },
      annotation: reboot,
      value: formatRebootRequest({ boot, at: by.at, reason }),
    })),
    awaits: awaitsOf(nodes),
  }
}

function cancel(nodes: readonly RebootableNode[], { annotationPrefix }: Flags): Intent {
  const { reboot } = namesFor(annotationPrefix)
  const asked = nodes.filter(({ isAsked }) => isAsked)
  const list = nameList(nodes.map(({ name }) => name))
  if (asked.length === 0) return { says: `no reboot is requested: ${list}`, writes: [], awaits: [] }
  return {
    says: `requests withdrawn: ${nameList(asked.map(({ name }) => name))}; nodes that have begun finish`,
    writes: asked.map(({ name }) => ({ on: { kind: 'Node', name }, annotation: reboot, value: null })),
    awaits: [],
  }
}

function awaitsOf(nodes: readonly RebootableNode[]): AwaitedRecord[] {
  const byPool = Map.groupBy(nodes, ({ pool }) => pool)
  return [...byPool].flatMap(([pool, members]) => {
    const names = new Set(members.map(({ name }) => name))
    return pool === undefined ? [] : [{ pool, action: 'Reboot' as const, effect: (status) => rebooted(status, names) }]
  })
}

/** The status shows fifty nodes: as long as it shows any of these, it is not over. */
function rebooted({ reboots = [] }: Partial<NodePoolStatus>, names: ReadonlySet<string>): Effect | undefined {
  // A host may require a reboot again afterwards.
  const left = reboots.filter(({ node, state }) => names.has(node) && state !== 'Required')
  const failed = left.filter(({ state }) => state === 'Failed').map(({ node }) => node)
  if (failed.length > 0) return { ok: false, message: `failed: ${nameList(failed)}` }
  return left.length > 0 ? undefined : { ok: true, message: 'rebooted' }
}
