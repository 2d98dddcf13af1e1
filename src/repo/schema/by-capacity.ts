import * as z from 'zod'

const percentage = z
  .string('expected a percentage of at most 100%, such as "25%" or "0.25%"')
  .regex(/^(?:100|\d{1,2}(?:\.\d{1,2})?)%$/, 'expected a percentage of at most 100%, such as "25%" or "0.25%"')
  .transform((text) => Number(text.slice(0, -1)))

/** @param upTo as expressions read it, too: `4Gi`, `2` */
function brackets(upTo: z.ZodType<string, string | number>, example: string) {
  const bracket = z.strictObject({
    upTo: upTo.exactOptional().describe(`Where the bracket ends, such as ${example}; the last one has none.`),
    share: percentage.describe('Part of the capacity within the bracket, such as 25%.'),
  })
  return z
    .array(bracket)
    .min(1)
    .max(20)
    .refine(
      (all) => all.every((each, index) => (each.upTo === undefined) === (index === all.length - 1)),
      'expected upTo in each bracket but the last',
    )
    .refine(
      (all) =>
        all.every(({ upTo }, index) => index === 0 || upTo === undefined || amount(upTo) > amount(all[index - 1]?.upTo ?? '0')),
      'expected each upTo to be above the one before',
    )
}

const BYTES: Readonly<Record<string, number>> = { Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 }

function amount(upTo: string): number {
  const [, number = '', unit = ''] = /^([\d.]+)(.*)$/.exec(upTo) ?? []
  return Number(number) * (BYTES[unit] ?? 1)
}

const memory = z
  .string('expected an amount of memory such as "4Gi"')
  .regex(/^[1-9]\d{0,5}(?:Mi|Gi|Ti)$/, 'expected an amount of memory such as "4Gi"')
const cpus = z.int('expected a number of CPUs').min(1).max(4096).transform(String) as z.ZodType<string, number>

const resources = z.strictObject({
  cpu: brackets(cpus, '2').exactOptional().describe('Brackets of CPUs; the sum is rounded down to millicores.'),
  memory: brackets(memory, '4Gi').exactOptional().describe('Brackets of memory; the sum is rounded down to Mi.'),
})

export const byCapacity = z.strictObject({
  kubeReserved: resources.exactOptional().describe('Sets kubeReserved.'),
  systemReserved: resources.exactOptional().describe('Sets systemReserved.'),
})
export type ByCapacity = z.output<typeof byCapacity>
export type CapacityBracket = NonNullable<NonNullable<ByCapacity['kubeReserved']>['cpu']>[number]
