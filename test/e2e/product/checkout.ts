/** The checkout that is tested. */
import { join } from 'node:path'

export const checkout = join(import.meta.dirname, '../../..')
