import { shortRevision } from '../../protocol/revision-id.ts'
import { describeControl } from '../describe-control.ts'
import { type Look, poolHistoryLines, poolRuns } from '../history/pool-history.ts'
import { foldAt, folded } from '../paint.ts'
import { printable } from '../printable.ts'
import type { PoolStatusView } from './pool-view.ts'

const SHOWN = 3

/** Of one pool: what its conditions say, what people did last, how the last rollouts went, where it can be rolled back to. */
export function poolDetails({ status }: PoolStatusView, { now, ...look }: Look & { readonly now: number }): string[] {
  const { conditions = [], controls = [], rollbackTo = [] } = status
  // The table above has what Ready says unless all is well: nobody has to read it twice.
  const said = conditions.find(({ type, status: holds }) => type === 'Ready' && holds !== 'True')?.message
  const known = conditions.flatMap(({ type, status: holds, reason, message }) =>
    type === 'Ready' || holds === 'False'
      ? []
      : [
          folded(printable(`  ${type} ${reason}: ${said?.includes(message) ? 'see above' : message}`), {
            columns: foldAt(look),
            by: 2,
          }),
        ],
  )
  return [
    ...section('CONDITIONS', known),
    ...section(
      'RECENT OPERATOR ACTIONS',
      controls.slice(0, SHOWN).map((record) => folded(`  ${describeControl(record)}`, { columns: foldAt(look), by: 2 })),
    ),
    ...section(
      'ROLLBACK TARGETS',
      rollbackTo.map((ref) => printable(`  ${shortRevision(ref.revision, 12)} ${ref.subject ?? ''}`)),
    ),
    '',
    ...poolHistoryLines(poolRuns({ ...status, controls: [] }, now).slice(0, SHOWN), look),
  ]
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}
