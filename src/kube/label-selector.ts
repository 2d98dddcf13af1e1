/** A LabelSelector as it stands in an object; the API server has validated it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

type Labels = Readonly<Record<string, string>>

/** Whether a selector of policy/v1 chooses an object: an empty one chooses all, none at all chooses nothing. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false
  const { matchLabels = {}, matchExpressions = [] } = selector
  return (
    Object.entries(matchLabels).every(([key, value]) => own(labels, key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => holds(operator, { value: own(labels, key), values }))
  )
}

/** A label may be named as what every object has, such as `constructor`. */
function own(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

function holds(
  operator: string,
  { value, values }: { readonly value: string | undefined; readonly values: readonly string[] },
): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return value !== undefined && values.includes(value)
  return operator === 'NotIn' && (value === undefined || !values.includes(value))
}
