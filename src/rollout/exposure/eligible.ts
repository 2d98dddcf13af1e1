import { asksForMore } from '../model/agent-report.ts'
import type { Candidate } from '../model/candidate.ts'

/** It may get something now; a node that is assigned that already only when it asks for a greater grant. */
export function isEligible({ exposure, wanted, assigned, node, report }: Candidate): boolean {
  if (exposure.content === 'none' || wanted.kind === 'problem') return false
  return !assigned || asksForMore(node, report)
}
