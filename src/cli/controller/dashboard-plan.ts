import type { PlannedGroup, PoolPlan } from '../../controller/plans/pool-plan.ts'
import { commitView } from '../../dashboard/fleet-view.ts'
import type { PlanGroupView, PlanView } from '../../dashboard/plan-view.ts'
import { greatest } from '../../protocol/desired-config.ts'
import type { ContentChange } from '../../render/diff-content.ts'
import { counted, nameList, shownChange } from '../paint.ts'
import { changeCount, disruptionText, waveConditions } from '../plan-text.ts'

/** Of a long plan the page shows the beginning; `nodewave plan` shows all. */
const MOST_GROUPS = 10
const MOST_CHANGES = 40
const MOST_REASONS = 10
const MOST_PROBLEMS = 5

/** @param window when something may begin */
export function dashboardPlan(plan: PoolPlan, window = ''): PlanView {
  const { commit, because = '', waves, groups } = plan
  return {
    ...{ commit: commitView(commit), because, window, summary: summaryOf(plan) },
    waves: waves.map(({ soak, ...wave }) => ({
      ...{ name: wave.name, nodes: wave.nodes },
      conditions: waveConditions({ ...wave, soak: soak / 1000, nodes: [] }),
    })),
    groups: groups.slice(0, MOST_GROUPS).map(groupView),
    remarks: remarksOf(plan),
  }
}

function summaryOf({ changing, total, groups }: PoolPlan): string {
  const disruption = greatest(groups.map((group) => group.disruption))
  return `${changeCount(changing, total)}${changing === 0 ? '' : `, ${disruptionText(disruption)}`}`
}

function remarksOf({ left, uncompared, problems, groups }: PoolPlan): string[] {
  const unshown = groups.slice(MOST_GROUPS).reduce((sum, { nodes }) => sum + nodes.length, uncompared)
  return [
    ...(left > 0 ? [`${counted(left, 'node')} would change, and ${left === 1 ? 'is' : 'are'} held or being deleted`] : []),
    ...(unshown > 0 ? [`${counted(unshown, 'node')} more change in other ways`] : []),
    ...problems.slice(0, MOST_PROBLEMS).map(({ node, message }) => `"${node}" cannot be rendered: ${message}`),
    ...(problems.length > MOST_PROBLEMS ? [`and ${problems.length - MOST_PROBLEMS} more that cannot be rendered`] : []),
  ]
}

function groupView({ nodes, disruption, reasons, changes }: PlannedGroup): PlanGroupView {
  return {
    title: `${nameList(nodes)}: ${disruptionText(disruption)}`,
    reasons: reasons.slice(0, MOST_REASONS),
    changes: changeRows(changes),
  }
}

/** The first ones, without what may be secret. */
export function changeRows(changes: readonly ContentChange[]): PlanGroupView['changes'] {
  const more = changes.length - MOST_CHANGES
  return [
    ...changes.slice(0, MOST_CHANGES).map((change) => changeRow(change)),
    ...(more > 0 ? [[`and ${more} more`, '', ''] as const] : []),
  ]
}

/** Parts of the host document, and fields in others, that hold no text of a file, a unit or an address. */
const SHOWN_SECTIONS = new Set([
  'kubelet',
  'packages',
  'directories',
  'links',
  'groups',
  'sysctls',
  'kernelModules',
  'swap',
  'time',
])
const SHOWN_FIELDS = new Set(['mode', 'owner', 'group', 'state', 'enabled', 'masked'])

/** Flags and fields that say where a file lies, with the right to read it, and the one that is a password. */
const SECRET_SETTINGS = new Set([
  ...['staticPodURL', 'staticPodURLHeader', 'manifest-url', 'manifest-url-header'],
  'storage-driver-password',
])

function isShown([part, section = '', ...rest]: ContentChange['path']): boolean {
  if (part !== 'host') return !SECRET_SETTINGS.has(section)
  const last = rest.at(-1) ?? ''
  return SHOWN_FIELDS.has(last) || (SHOWN_SECTIONS.has(section) && last !== 'url')
}

/** What is in a file may be for its node alone: who may look at the page may not read payloads. */
function changeRow(change: ContentChange): readonly [string, string, string] {
  const [from, to] = isShown(change.path) ? shownChange(change) : ['', 'other content']
  return [change.path.join('.'), from, to]
}
