import { propertyList } from '../../present/property-list.ts'
import { count, integer, number, object, oneOf, string, told } from '../../present/schema.ts'
import { ALWAYS_NULL } from '../../present/words.ts'
import { post, type Route, Text } from '../routing/route.ts'

/** Response codes (docs/reference/device-protocol.md section 15). */
const NO_SUCH_METHOD = 4
const NO_SUCH_FORMAT = 8

/** `payload` and `sessionToken` are null; the plist form, which has no null, leaves them out. */
const rpcAnswer = object('RpcAnswer', 'The answer that old apps understand.', {
  responseCode: told(
    oneOf([NO_SUCH_METHOD, NO_SUCH_FORMAT]),
    '4: there is no such method. 8: there is no such format.',
    4,
  ),
  responseMessage: told(string, 'The same in words.', 'No such method: getUsers'),
  timestamp: told(integer, 'Time of the answer in seconds since 1970.', 1772366400),
  requestProcessingTime: told(count, 'Always 0.', 0),
  requestReceivedTime: told(number, 'Time of the request in seconds since 1970.', 1772366400.5),
  payload: told({ type: 'null' }, ALWAYS_NULL),
  sessionToken: told({ type: 'null' }, ALWAYS_NULL),
})

/**
 * Methods that apps called on their backend (docs/reference/device-protocol.md section 15, B1). There are none here;
 * old apps get the answer that they understand. Bodies are ignored: forms on Android, multipart forms in React
 * Native, JSON on iOS.
 */
export const rpcRoutes: Route[] = [
  post('/b2.2/:apiKey/:method', {
    area: 'events',
    deprecated: true,
    summary: 'Call a backend method; there are none',
    description: 'Kept for old apps. There are no methods: the answer always says so, in JSON or as a property list.',
    needs: 'device-key',
    device: true,
    transaction: false,
    returns: rpcAnswer,
    alsoProduces: 'application/xml',
    run: async ({ program, params }) => {
      const now = program.kernel.clock.now()
      const [, name = params.method!, format] = /^(.*)\.(json|plist)$/s.exec(params.method!) ?? []
      const answer = format
        ? answerOf(NO_SUCH_METHOD, `No such method: ${name}`, now)
        : answerOf(NO_SUCH_FORMAT, 'No such format: use .json or .plist', now)
      // A session token other than null would replace the client's own.
      if (format !== 'plist') return { ...answer, payload: null, sessionToken: null }
      return new Text(propertyList(answer), 'application/xml; charset=utf-8')
    },
  }),
]

/** Times are numbers, in seconds. iOS requires a message. */
function answerOf(responseCode: number, responseMessage: string, now: number) {
  return {
    responseCode,
    responseMessage,
    timestamp: Math.floor(now / 1000),
    requestProcessingTime: 0,
    requestReceivedTime: now / 1000,
  }
}
