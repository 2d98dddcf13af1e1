import * as z from 'zod'
import { TEMPLATE_FIELDS, unknownFields } from './template.ts'

/** A template as settings have it. */
export function templateOf(longest: number) {
  return z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => unknownFields(text).length === 0, { error: `expected these fields alone: ${TEMPLATE_FIELDS.join(', ')}` })
}
