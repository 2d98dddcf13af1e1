/** As Kubernetes reads it: a number with a binary or decimal suffix, or an exponent. */
const QUANTITY = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][-+]?\d+)?$/

export function isQuantity(text: string): boolean {
  return QUANTITY.test(text)
}
