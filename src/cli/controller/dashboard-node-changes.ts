import type { NodeChanges, NodeComparison } from '../../controller/plans/node-changes.ts'
import type { NodeChangesView } from '../../dashboard/node-changes-view.ts'
import { commitOf, shortRevision } from '../../protocol/revision-id.ts'
import { printable } from '../printable.ts'
import { changeRows } from './dashboard-plan.ts'

const NOTHING_BEFORE = 'The controller knows nothing that this node ran before, and keeps no commit before.'

export function dashboardNodeChanges({ revision, sinceRun, sinceCommit }: NodeChanges): NodeChangesView {
  const to = shortRevision(revision, 12)
  const comparisons = isOne(sinceRun, sinceCommit)
    ? [comparison('what it ran before and the commit before', to, sinceRun)]
    : [
        ...(sinceRun ? [comparison('what it ran before', to, sinceRun)] : []),
        ...(sinceCommit ? [comparison('the commit before', to, sinceCommit)] : []),
      ]
  const none = { title: '', remark: NOTHING_BEFORE, changes: [] }
  return { title: `${to} on this node`, comparisons: comparisons.length === 0 ? [none] : comparisons }
}

/** A node writes itself what it runs: it may name the commit before, and run something else. */
function isOne(run: NodeComparison | undefined, commit: NodeComparison | undefined): run is NodeComparison {
  if (run === undefined || commit === undefined || short(run.revision) !== short(commit.revision)) return false
  return JSON.stringify(run.changes) === JSON.stringify(commit.changes)
}

function comparison(what: string, to: string, { revision, changes }: NodeComparison): NodeChangesView['comparisons'][number] {
  const from = short(revision)
  const title = `Compared with ${what}${from === '' ? '' : `, ${from}`}`
  if (changes === undefined)
    return {
      title,
      remark: ['Not in the memory of the controller.', ...commandFor(from, to)].join(' '),
      changes: [],
    }
  return { title, remark: changes.length === 0 ? 'Nothing changes on this node.' : '', changes: changeRows(changes) }
}

/** Only what is a commit may end up in somebody's shell. */
const COMMIT = /^[0-9a-f]{7,64}$/

function commandFor(...revisions: readonly [from: string, to: string]): readonly string[] {
  const [from = '', to = ''] = revisions.map(commitOf)
  return COMMIT.test(from) && COMMIT.test(to) ? [`In a clone: nodewave plan --from ${from} --to ${to}`] : []
}

function short(revision: string): string {
  return printable(shortRevision(revision, 12))
}
