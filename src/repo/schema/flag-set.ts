import * as z from 'zod'
import { document, flags } from './common.ts'

const flagSetSpec = z.strictObject({ flags })

export const flagSet = document('FlagSet', flagSetSpec).describe('Kubelet flags that pools share.')
export type FlagSetSpec = z.infer<typeof flagSetSpec>
