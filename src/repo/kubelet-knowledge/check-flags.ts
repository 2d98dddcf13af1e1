import { own } from '../../protocol/own.ts'
import type { Flags, FlagValue } from '../schema/common.ts'
import { gateFinding } from './check-gates.ts'
import type { KnowledgeFinding } from './finding.ts'
import { flagLifetime, knowledgeOf } from './knowledge.ts'
import { remedyFor } from './remedy.ts'

const GATES_FLAG = 'feature-gates'

/** Flags that would keep a kubelet of this version from starting: it exits over an unknown one. */
export function checkFlags(flags: Flags, version: string | undefined): KnowledgeFinding[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const type = knowledgeOf(version).flags.get(name)
    if (type === undefined) return [unknownFlag(name, version)]
    return [...checkValue(name, value, type), ...(name === GATES_FLAG ? checkGates(value, version) : [])]
  })
}

function unknownFlag(name: string, version: string | undefined): KnowledgeFinding {
  const { flags, subject } = knowledgeOf(version)
  const lifetime = flagLifetime(name, version)
  const message = `flag --${name} is not known to ${subject}${lifetime ? ` (${lifetime})` : ''}`
  const remedy = remedyFor(name, { lifetime, known: flags.keys() })
  return { path: [name], reason: 'UnknownFlag', part: 'key', message, remedy }
}

const PATTERNS: Readonly<Record<string, { readonly expected: string; readonly pattern: RegExp }>> = {
  bool: { expected: 'true or false', pattern: /^(?:true|false)$/ },
  int: { expected: 'a whole number', pattern: /^-?\d+$/ },
  duration: { expected: 'a duration such as "10s"', pattern: /^-?(?:0|(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+)$/ },
}

function checkValue(name: string, value: FlagValue, type: string): KnowledgeFinding[] {
  const rule = own(PATTERNS, /^u?int\d*$/.test(type) ? 'int' : type)
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (!rule || text.includes('{{') || rule.pattern.test(text)) return []
  return [{ path: [name], reason: 'InvalidValue', part: 'value', message: `expected flag --${name} to be ${rule.expected}` }]
}

/** Written as a map, or as the kubelet has it: `A=true,B=false`. */
function checkGates(value: FlagValue, version: string | undefined): KnowledgeFinding[] {
  const isMap = typeof value === 'object' && !Array.isArray(value)
  const names = isMap
    ? Object.keys(value)
    : (Array.isArray(value) ? value.join(',') : String(value)).split(',').map((pair) => pair.split('=')[0]?.trim() ?? '')
  return names.filter(Boolean).flatMap((name) => gateFinding(name, isMap ? [GATES_FLAG, name] : [GATES_FLAG], version))
}
