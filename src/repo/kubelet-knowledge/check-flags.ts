import { own } from '../../protocol/own.ts'
import type { Flags, FlagValue } from '../schema/common.ts'
import { gateFindings } from './check-gates.ts'
import { valueFindings } from './check-value.ts'
import type { KnowledgeFinding } from './finding.ts'
import { asFieldValue, LESS_THAN_FLAGS } from './flag-as-field.ts'
import { flagLifetime, type Knowledge, type KnownFlag, knowledgeOf, ROOT_TYPE } from './knowledge.ts'
import { nodeLabelFindings } from './node-labels.ts'
import { remedyFor } from './remedy.ts'

/** Flags of kubelets older than all that we know: what resembles one now means something else. */
const REMOVED_BEFORE: Readonly<Record<string, string>> = {
  'cni-bin-dir': 'removed in 1.24',
  'cni-conf-dir': 'removed in 1.24',
  'container-runtime': 'removed in 1.27',
  'docker-endpoint': 'removed in 1.24',
  'dynamic-config-dir': 'removed in 1.26',
  'image-pull-progress-deadline': 'removed in 1.24',
  'log-dir': 'removed in 1.26',
  'log-file': 'removed in 1.26',
  'log-file-max-size': 'removed in 1.26',
  logtostderr: 'removed in 1.26',
  'network-plugin': 'removed in 1.24',
  'network-plugin-mtu': 'removed in 1.24',
}
const GATES_FLAG = 'feature-gates'

const LABELS_FLAG = 'node-labels'

/** Flags that would keep a kubelet of this version from starting: it exits over an unknown one, and over a value that it does not take. */
export function checkFlags(flags: Flags, version: string | undefined): KnowledgeFinding[] {
  const knowledge = knowledgeOf(version)
  return Object.entries(flags).flatMap(([name, stated]) => {
    const flag = knowledge.flags.get(name)
    if (flag === undefined) return [unknownFlag(name, version)]
    if (Object.hasOwn(OWNED, name)) return [ownedFlag(name)]
    const value = withoutNulls(stated)
    const found = checkValue(name, value, flag)
    if (found.length > 0) return found
    if (name === GATES_FLAG) return checkGates(value, version)
    return name === LABELS_FLAG ? nodeLabelFindings(value) : checkAsField({ name, value, flag }, knowledge)
  })
}

/** Keys that are only removed never reach a kubelet. */
function withoutNulls(value: FlagValue): FlagValue {
  if (typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}

/** Flags by which a kubelet would no longer read what nodewave writes. */
const OWNED: Readonly<Record<string, string>> = {
  config: 'write the fields into a KubeletConfig, and name it under kubelet.config',
}

function ownedFlag(name: string): KnowledgeFinding {
  const message = `with flag --${name} the kubelet would read another file than the one that nodewave writes`
  return { path: [name], reason: 'Conflict', part: 'key', message, remedy: OWNED[name] }
}

function unknownFlag(name: string, version: string | undefined): KnowledgeFinding {
  const { flags, subject } = knowledgeOf(version)
  const lifetime = flagLifetime(name, version) ?? own(REMOVED_BEFORE, name)
  const message = `flag --${name} is not known to ${subject}${lifetime ? ` (${lifetime})` : ''}`
  const remedy = remedyFor(name, { lifetime, known: flags.keys() })
  return { path: [name], reason: 'UnknownFlag', part: 'key', message, remedy }
}

const PATTERNS: Readonly<Record<string, { readonly expected: string; readonly pattern: RegExp }>> = {
  bool: { expected: 'true or false', pattern: /^(?:true|false)$/ },
  int: { expected: 'a whole number', pattern: /^-?\d+$/ },
  duration: { expected: 'a duration such as "10s"', pattern: /^-?(?:0|(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+)$/ },
}

function checkValue(name: string, value: FlagValue, { type }: KnownFlag): KnowledgeFinding[] {
  if (
    LESS_THAN_FLAGS.has(name) &&
    typeof value === 'string' &&
    !/^(?:[^<,]+<[^<,]+(?:,|$))*$/.test(value) &&
    !value.includes('{{')
  ) {
    const message = `expected flag --${name} to be signals and thresholds, such as "memory.available<500Mi"`
    return [{ path: [name], reason: 'InvalidValue', part: 'value', message, remedy: 'or write it as a map' }]
  }
  const rule = own(PATTERNS, /^u?int\d*$/.test(type) ? 'int' : type)
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (!rule || text.includes('{{') || rule.pattern.test(text)) return []
  return [{ path: [name], reason: 'InvalidValue', part: 'value', message: `expected flag --${name} to be ${rule.expected}` }]
}

/** What a field does not take its flag does not take either. */
function checkAsField(
  { name, value, flag }: { readonly name: string; readonly value: FlagValue; readonly flag: KnownFlag },
  knowledge: Knowledge,
): KnowledgeFinding[] {
  const place = placeOf(flag.field, knowledge)
  if (place === undefined) return []
  return valueFindings(
    { place, value: asFieldValue({ name, value, type: flag.type }), name: `flag --${name}` },
    { path: [name], knowledge },
  )
}

/** @param path such as `logging.verbosity`. @returns `Struct.field` */
function placeOf(path: string, { fields }: Knowledge): string | undefined {
  const steps = path.split('.')
  const last = steps.pop()
  let owner: string | undefined = ROOT_TYPE
  for (const step of steps) owner = owner === undefined ? undefined : fields.get(owner)?.get(step)
  return owner === undefined || last === '' ? undefined : `${owner}.${last}`
}

/** Written as a map, or as the kubelet has it: `A=true,B=false`. */
function checkGates(value: FlagValue, version: string | undefined): KnowledgeFinding[] {
  if (typeof value === 'object' && !Array.isArray(value))
    return Object.entries(value).flatMap(([name, on]) => gateFindings({ name, value: textual(on) }, [GATES_FLAG, name], version))
  const given = (Array.isArray(value) ? value.join(',') : String(value)).split(',').map((pair) => pair.trim().split('='))
  return given.flatMap(([name = '', on]) =>
    name === '' ? [] : gateFindings({ name, value: textual(on) }, [GATES_FLAG], version),
  )
}

/** A flag has no quotes: `"true"` in YAML is true to the kubelet. */
function textual(value: unknown): unknown {
  const text = String(value).toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : value
}
