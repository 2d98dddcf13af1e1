const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  m: 1 / 1000,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
}

/** The number that a quantity of Kubernetes is, as `1Gi`, `250m` or 1048576; undefined when it is written in another way. */
export function parseQuantity(quantity: unknown): number | undefined {
  const text = typeof quantity === 'number' ? String(quantity) : quantity
  const [, digits, unit = ''] = (typeof text === 'string' && /^(\d{1,20}(?:\.\d{1,9})?)([a-zA-Z]{0,2})$/.exec(text)) || []
  const factor = Object.hasOwn(FACTORS, unit) ? FACTORS[unit] : undefined
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor
}
