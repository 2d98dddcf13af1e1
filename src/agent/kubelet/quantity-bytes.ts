import { parseQuantity } from '../../protocol/quantity.ts'

/** Bytes of a quantity of memory, as `1Gi` or `1048576`; undefined when it is written in another way. */
export function bytesIn(quantity: unknown): number | undefined {
  const bytes = parseQuantity(quantity)
  return bytes === undefined ? undefined : Math.ceil(bytes)
}
