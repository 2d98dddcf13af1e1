import type { ByCapacity, CapacityBracket } from '../schema/by-capacity.ts'
import type { KubeletFields } from '../schema/common.ts'

/** What the brackets of each resource count, and in what unit the kubelet gets the sum. */
const RESOURCES = {
  cpu: { fact: 'node.cpu', perUnit: 1000, unit: 'm' },
  memory: { fact: 'node.memory', perUnit: 1 / 2 ** 20, unit: 'Mi' },
} as const

/** A table as fields of the configuration: texts with an expression, which become quantities on each node. */
export function fieldsByCapacity(table: ByCapacity): KubeletFields {
  return Object.fromEntries(
    Object.entries(table).map(([field, resources]) => [
      field,
      Object.fromEntries(
        Object.entries(resources).map(([name, brackets]) => [name, quantityOf(name as keyof typeof RESOURCES, brackets)]),
      ),
    ]),
  )
}

/** In ten-thousandths until the end: whole numbers have no rounding. */
function quantityOf(name: keyof typeof RESOURCES, brackets: readonly CapacityBracket[]): string {
  const { fact, perUnit, unit } = RESOURCES[name]
  const parts = brackets.map(({ upTo, share }, index) => {
    const from = brackets[index - 1]?.upTo
    const capped = upTo === undefined ? fact : `min(${fact}, ${upTo})`
    return `${Math.round(share * 100)} * ${from === undefined ? capped : `max(0, ${capped} - ${from})`}`
  })
  const scale = perUnit >= 1 ? `/ ${10_000 / perUnit}` : '/ 10000 / 1Mi'
  return `{{ floor((${parts.join(' + ')}) ${scale}) }}${unit}`
}
