import type { Disruption } from '../../protocol/desired-config.ts'
import type { NodeContent } from '../../protocol/digest.ts'
import { requirementsOf } from '../../protocol/node-selector.ts'
import { settingsIn } from '../../protocol/node-settings.ts'
import { unnamedPaths } from '../../protocol/written-paths.ts'
import { type Ceiling, ceilingRemedy, disruptionViolation, selects } from '../../rollout/model/ceiling.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'
import type { NodeTarget } from '../../rollout/model/snapshot.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { RenderedConfig } from '../fleet/compiled-fleet.ts'

type Config = Extract<NodeTarget, { kind: 'config' }>

/** What the content of a node breaks of the rules that select the node; undefined: nothing, or the node has it already. */
export function contentViolation(
  node: ClusterNode,
  { rendered, target, ceiling }: { readonly rendered: RenderedConfig; readonly target: Config; readonly ceiling: Ceiling },
): string | undefined {
  if (node.current?.DIGEST === rendered.digest) return undefined
  return changeViolation(node.view, { content: rendered.content, disruption: target.disruption }, ceiling)
}

/** The same of a change to this content, whoever wants to know. */
export function changeViolation(
  node: Pick<NodeView, 'labels'>,
  change: { readonly content: NodeContent; readonly disruption: Disruption },
  { rules }: Ceiling,
): string | undefined {
  const label = labelViolation(change.content, rules)
  if (label !== undefined) return label
  for (const rule of rules) {
    if (!selects(rule, node)) continue
    const { place, forbiddenPaths = [] } = rule
    const found = pathsOf(change.content).find(({ path, isOpen }) =>
      forbiddenPaths.some((at) => isBelow(path, at) || (isOpen && isBelow(at, path))),
    )
    if (found !== undefined)
      return `${found.shown ?? `path "${found.path}"`} is forbidden; ${ceilingRemedy(`${place}.forbiddenPaths`)}`
    const disturbs = rule.disruption === undefined ? undefined : disruptionViolation(rule, change.disruption)
    if (disturbs !== undefined) return disturbs
  }
  return undefined
}

/** A commit that writes such a label would take nodes out of the rule, and the next one would do what the rule forbids. */
function labelViolation({ host }: NodeContent, rules: Ceiling['rules']): string | undefined {
  const { labels = {} } = host === undefined ? {} : settingsIn(host)
  for (const { place, nodeSelector } of rules) {
    const label = nodeSelector && requirementsOf(nodeSelector).find(({ key }) => Object.hasOwn(labels, key))?.key
    if (label !== undefined)
      return `label "${label}" decides for which nodes the rule counts; ${ceilingRemedy(`${place}.nodeSelector`)}`
  }
  return undefined
}

/** Equal nodes share what was rendered. */
const paths = new WeakMap<NodeContent, readonly Place[]>()

interface Place {
  readonly path: string
  /** What is written below it does not stand in the document: what an archive holds, what is behind a link. */
  readonly isOpen?: boolean
  readonly shown?: string
}

function isBelow(path: string, at: string): boolean {
  return path === at || path.startsWith(at.endsWith('/') ? at : `${at}/`)
}

function pathsOf(content: NodeContent): readonly Place[] {
  const known = paths.get(content)
  if (known) return known
  const { host, secret } = content
  const found = [host, secret].flatMap((text) => (text === undefined ? [] : placesIn(JSON.parse(text))))
  paths.set(content, found)
  return found
}

function placesIn(document: object): Place[] {
  return [...pathsIn(document), ...unnamedPaths(document).map((path) => ({ path }))]
}

/** Files and directories, wherever in the document they stand, and the files of units. */
function pathsIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === 'units' && Array.isArray(member)) return [...member.flatMap(pathsOfUnit), ...pathsIn(member)]
    if (key === 'packages' && Array.isArray(member)) return member.map(placeOfPackage)
    if (typeof member !== 'string') return pathsIn(member)
    if (key === 'path') return [{ path: member }]
    return key === 'directory' || key === 'target' ? [{ path: member, isOpen: true }] : []
  })
}

/** It writes where it wants, and its scripts run as root. */
function placeOfPackage({ name }: { readonly name?: string }): Place {
  return { path: '/', isOpen: true, shown: `package "${name}", which may write anywhere,` }
}

const UNITS = '/etc/systemd/system'

function pathsOfUnit({
  name,
  content,
  dropIns = {},
  masked,
}: {
  readonly name?: string
  readonly content?: string
  readonly dropIns?: object
  readonly masked?: boolean
}): Place[] {
  const own = content === undefined && !masked ? [] : [`${UNITS}/${name}`]
  return [...own, ...Object.keys(dropIns).map((dropIn) => `${UNITS}/${name}.d/${dropIn}`)].map((path) => ({ path }))
}
