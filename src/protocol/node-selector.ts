import { own } from './own.ts'

export type LabelOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'

/** One condition on one label, as in a LabelSelector of Kubernetes. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** Of In and NotIn. */
  readonly values?: readonly string[] | undefined
}

/** Which nodes are meant: all conditions hold. */
export interface NodeSelector {
  readonly matchLabels: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelRequirement[] | undefined
}

type Labels = Readonly<Record<string, string>>

export function selectsLabels({ matchLabels, matchExpressions }: NodeSelector, labels: Labels): boolean {
  for (const key in matchLabels) if (own(labels, key) !== matchLabels[key]) return false
  return (
    matchExpressions === undefined || matchExpressions.every((requirement) => holds(requirement, own(labels, requirement.key)))
  )
}

/** A LabelSelector as it stands in an object of the API server, which has validated it. */
export type LabelSelector = Partial<NodeSelector>

/** An empty selector selects all, and none at all selects nothing. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  return selector !== undefined && selectsLabels({ matchLabels: {}, ...selector }, labels)
}

/** Every condition in one form: a label of matchLabels is an expression with one value. */
export function requirementsOf({ matchLabels, matchExpressions = [] }: NodeSelector): readonly LabelRequirement[] {
  const ofLabels = Object.entries(matchLabels).map(([key, value]): LabelRequirement => ({ key, operator: 'In', values: [value] }))
  return [...ofLabels, ...matchExpressions]
}

/** Labels that a node of the selector could have: the fewest. Conditions that contradict each other give labels that it does not select. */
export function sampleLabels(selector: NodeSelector): Labels {
  const byKey = Map.groupBy(requirementsOf(selector), ({ key }) => key)
  return Object.fromEntries(
    [...byKey].flatMap(([key, requirements]) => {
      const candidates = [undefined, '', 'x', ...requirements.flatMap(({ values = [] }) => values)]
      const value = candidates.find((candidate) => requirements.every((requirement) => holds(requirement, candidate)))
      return value === undefined ? [] : [[key, value]]
    }),
  )
}

/** Whether every node of `narrow` is one of `wide`, as far as single labels show it. */
export function isWithin(narrow: NodeSelector, wide: NodeSelector): boolean {
  const given = requirementsOf(narrow)
  return requirementsOf(wide).every((wanted) => given.some((requirement) => implies(requirement, wanted)))
}

/** Whether no node is of both, as far as single labels show it. */
export function excludeEachOther(a: NodeSelector, b: NodeSelector): boolean {
  const others = requirementsOf(b)
  return requirementsOf(a).some((one) => others.some((other) => contradict(one, other)))
}

function holds({ operator, values = [] }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
  }
}

function implies(given: LabelRequirement, wanted: LabelRequirement): boolean {
  if (given.key !== wanted.key) return false
  const [has, wants] = [given.values ?? [], wanted.values ?? []]
  switch (given.operator) {
    case 'In':
      return has.every((value) => holds(wanted, value))
    case 'NotIn':
      return wanted.operator === 'NotIn' && wants.every((value) => has.includes(value))
    case 'Exists':
      return wanted.operator === 'Exists'
    case 'DoesNotExist':
      return holds(wanted, undefined)
  }
}

function contradict(one: LabelRequirement, other: LabelRequirement): boolean {
  if (one.key !== other.key) return false
  if (one.operator === 'In') return (one.values ?? []).every((value) => !holds(other, value))
  if (other.operator === 'In') return contradict(other, one)
  return isOneEach([one.operator, other.operator], ['Exists', 'DoesNotExist'])
}

function isOneEach(found: readonly LabelOperator[], wanted: readonly LabelOperator[]): boolean {
  return wanted.every((operator) => found.includes(operator))
}
