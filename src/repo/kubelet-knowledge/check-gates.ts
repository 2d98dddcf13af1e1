import type { Path } from '../source.ts'
import type { KnowledgeFinding } from './finding.ts'
import { gateLifetime, knowledgeOf } from './knowledge.ts'
import { remedyFor } from './remedy.ts'

/** A kubelet ends at its start over a feature gate that it does not know, and over one that is locked to the other value. */
export function gateFindings(
  { name, value }: { readonly name: string; readonly value: unknown },
  path: Path,
  version: string | undefined,
): KnowledgeFinding[] {
  const knowledge = knowledgeOf(version)
  const known = knowledge.gates.get(name)
  if (known === undefined) return [unknownGate(name, path, version)]
  if (value !== null && !BOOLEANS.includes(value))
    return [
      {
        path,
        reason: 'InvalidValue',
        part: 'value',
        message: `expected feature gate "${name}" to be true or false`,
      },
    ]
  if (!known.locked || value === null || String(value) === String(known.value)) return []
  const message = `feature gate "${name}" is locked to ${known.value} in ${knowledge.subject}`
  return [{ path, reason: 'InvalidValue', part: 'value', message, remedy: 'take it out' }]
}

const BOOLEANS: readonly unknown[] = [true, false]

function unknownGate(name: string, path: Path, version: string | undefined): KnowledgeFinding {
  const { gates, subject } = knowledgeOf(version)
  const lifetime = gateLifetime(name, version)
  const message = `feature gate "${name}" is not known to ${subject}${lifetime ? ` (${lifetime})` : ''}`
  return { path, reason: 'UnknownFeatureGate', part: 'key', message, remedy: remedyFor(name, { lifetime, known: gates.keys() }) }
}
