import { compareTexts } from '../../protocol/by-text.ts'
/** Templates of `kubectl -o jsonpath=…`: text, paths in braces, quoted text and ranges. There are no scripts in them. */

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'range'; readonly steps: readonly Step[]; readonly parts: readonly Part[] }

export type Step =
  | { readonly kind: 'root' | 'every' | 'below' }
  | { readonly kind: 'fields'; readonly names: readonly string[] }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'filter'; readonly left: Operand; readonly test?: { readonly is: Comparison; readonly right: Operand } }

export type Operand = readonly Step[] | string | number | boolean
export type Comparison = (typeof COMPARISONS)[number]

/** The longer first: `<=` begins with `<`. */
export const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const

/** What is in the document below these steps. Nothing is found where a field is missing: that is no error. */
function find(steps: readonly Step[], { root, at }: { readonly root: unknown; readonly at: unknown }): unknown[] {
  return steps.reduce<unknown[]>((found, step) => found.flatMap((value) => next(step, { root, at: value })), [at])
}

function next(step: Step, { root, at }: { readonly root: unknown; readonly at: unknown }): unknown[] {
  switch (step.kind) {
    case 'root':
      return [root]
    case 'every':
      return childrenOf(at)
    case 'below':
      return [at, ...childrenOf(at).flatMap((child) => next(step, { root, at: child }))]
    case 'fields':
      return step.names.flatMap((name) => (isRecord(at) && Object.hasOwn(at, name) ? [at[name]] : []))
    case 'slice':
      return Array.isArray(at) ? at.slice(step.from, step.to) : []
    case 'index':
      return Array.isArray(at) ? [at.at(step.at)].filter((value) => value !== undefined) : []
    case 'filter':
      return childrenOf(at).filter((child) => holds(step, { root, at: child }))
  }
}

function holds({ left, test: comparison }: Extract<Step, { kind: 'filter' }>, place: { root: unknown; at: unknown }): boolean {
  const [value] = resolved(left, place)
  if (comparison === undefined) return value !== undefined
  const [other] = resolved(comparison.right, place)
  if (value === undefined || other === undefined) return false
  const order =
    typeof value === 'number' && typeof other === 'number' ? value - other : compareTexts(String(value), String(other))
  return ANSWERS[comparison.is](order)
}

const ANSWERS: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '>': (order) => order > 0,
}

function resolved(operand: Operand, place: { root: unknown; at: unknown }): unknown[] {
  return typeof operand === 'object' ? find(operand, place) : [operand]
}

function childrenOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Values of one path stand in one line, with a space between them, as kubectl prints them. */
export function fillTemplate(parts: readonly Part[], { root, at }: { readonly root: unknown; readonly at: unknown }): string {
  const filled = parts.map((part) => {
    if (part.kind === 'text') return part.text
    const found = find(part.steps, { root, at })
    return part.kind === 'path'
      ? found.map(textOf).join(' ')
      : found.map((value) => fillTemplate(part.parts, { root, at: value })).join('')
  })
  return filled.join('')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
