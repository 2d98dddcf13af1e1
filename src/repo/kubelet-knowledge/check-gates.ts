import type { Path } from '../source.ts'
import type { KnowledgeFinding } from './finding.ts'
import { gateLifetime, knowledgeOf } from './knowledge.ts'
import { remedyFor } from './remedy.ts'

/** A kubelet panics at start over a feature gate that it does not know. */
export function gateFinding(name: string, path: Path, version: string | undefined): KnowledgeFinding[] {
  const knowledge = knowledgeOf(version)
  if (knowledge.gates.has(name)) return []
  const lifetime = gateLifetime(name, version)
  const message = `feature gate "${name}" is not known to ${knowledge.subject}${lifetime ? ` (${lifetime})` : ''}`
  const remedy = remedyFor(name, { lifetime, known: knowledge.gates })
  return [{ path, reason: 'UnknownFeatureGate', part: 'key', message, remedy }]
}
