// Made of the interface document by npm run openapi.
export interface paths {
    "/admin/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make the first owner with the one-time address that the server prints */
        post: operations["postAdminV1Setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your open sessions */
        get: operations["getAdminV1Sessions"];
        put?: never;
        /** Sign in with e-mail address and password, and with a code where the second factor is on */
        post: operations["postAdminV1Sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Say who is signed in and what they may do */
        get: operations["getAdminV1Session"];
        put?: never;
        post?: never;
        /** Sign out */
        delete: operations["deleteAdminV1Session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sessions */
        delete: operations["deleteAdminV1SessionsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the apps that you have a role in */
        get: operations["getAdminV1Apps"];
        put?: never;
        /** Create an app; the answer alone has its keys */
        post: operations["postAdminV1Apps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an app
         * @description Returns one entry for each configured gateway, without credentials.
         */
        get: operations["getAdminV1AppsByAppId"];
        put?: never;
        post?: never;
        /** Delete an app with everything that belongs to it */
        delete: operations["deleteAdminV1AppsByAppId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * FieldErrors
         * @description What is wrong, by the dotted path of each field as the caller wrote it. The empty path is the whole body.
         */
        FieldErrors: {
            [key: string]: string[];
        };
        /** AdminSession */
        AdminSession: {
            person: components["schemas"]["SignedInPerson"];
            roles: components["schemas"]["AdminRole"][];
            rights: components["schemas"]["AdminRights"];
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            freshUntil: string | null;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expires: string | null;
        };
        /** SignedInPerson */
        SignedInPerson: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /** @example null */
            email: string;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example true */
            hasTotp: boolean;
            /** @example null */
            passkeys: number;
        };
        /** AdminRole */
        AdminRole: {
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number | null;
            /**
             * @example viewer
             * @enum {string}
             */
            role: "viewer" | "marketer" | "operator" | "owner";
        };
        /** AdminRights */
        AdminRights: {
            /**
             * @example [
             *       "self"
             *     ]
             */
            server: ("self" | "see" | "campaign" | "operate" | "own")[];
            /** @example {} */
            apps: {
                [key: string]: ("self" | "see" | "campaign" | "operate" | "own")[];
            };
        };
        /** Refusal */
        Refusal: {
            /**
             * @description One sentence that a person can act on.
             * @example there is no channel 7
             */
            error: string;
            /** @example null */
            code: string;
        };
        /** OpenSessions */
        OpenSessions: {
            items: components["schemas"]["OpenSession"][];
        };
        /** OpenSession */
        OpenSession: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /** @example true */
            isCurrent: boolean;
            /** @example null */
            address: string;
            /** @example null */
            agent: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            seen: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expires: string;
        };
        /** AdminApps */
        AdminApps: {
            items: components["schemas"]["AdminApp"][];
        };
        /** AdminApp */
        AdminApp: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example null */
            linkHostLabel: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            updated: string;
        };
        /** CreatedApp */
        CreatedApp: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example null */
            linkHostLabel: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            updated: string;
            /** @example null */
            apiKey: string;
            /**
             * @description Legacy server key. Accepted, and no longer of use to FCM.
             * @example AAAA0123456789
             */
            serverKey: string;
            /** @example null */
            secretKey: string;
        };
        /**
         * Error
         * @description A request that failed.
         */
        Error: {
            /**
             * @description One sentence that a person can act on.
             * @example there is no channel 7
             */
            error: string;
        };
        /**
         * Invalid
         * @description An invalid request.
         */
        Invalid: {
            /**
             * @description Always the same.
             * @example validation failed
             * @constant
             */
            error: "validation failed";
            /** @description What is wrong, by field. */
            errors: components["schemas"]["FieldErrors"];
        };
    };
    responses: {
        /** @description The credentials are missing, malformed or wrong, or their kind does not open this operation */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key is valid but belongs to another app, or lacks the scope that this operation needs */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body exceeds the `limits.*` setting of this operation */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operation does not take this `Content-Type`, or the body is compressed */
        UnsupportedMedia: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is invalid; the body names every wrong field */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "validation failed",
                 *       "errors": {
                 *         "content.title": [
                 *           "is required"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Invalid"];
            };
        };
        /** @description Too many requests with wrong keys came from this address. Valid keys are never refused */
        TooMany: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service cannot answer now, for example because the database is unreachable */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other failure */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The scheme in which credentials are expected.
         * @example Basic realm="appsvc", charset="UTF-8"
         */
        WwwAuthenticate: string;
        /**
         * @description How many seconds to wait before the next attempt.
         * @example 30
         */
        RetryAfter: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAdminV1Setup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl",
                 *       "name": "News",
                 *       "password": "secret"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The token.
                     * @example su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl
                     */
                    token: string;
                    /** @example null */
                    email: string;
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name: string;
                    /**
                     * @description Password of the `p12`.
                     * @example secret
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The one-time address was used already or is too old */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server has an owner already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "isCurrent": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OpenSessions"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "secret"
                 *     }
                 */
                "application/json": {
                    /** @example null */
                    email: string;
                    /**
                     * @description Password of the `p12`.
                     * @example secret
                     */
                    password: string;
                    /** @example null */
                    code?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description Wrong address or password, or (`code` is `second_factor`) a code is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "there is no channel 7"
                     *     }
                     */
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1Session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    /**
                     * @description Forgets the session.
                     * @example __Host-appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1SessionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description You have no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Apps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "name": "News"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApps"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Apps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "News"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name: string;
                    /**
                     * @description The account that owns the app.
                     * @example 1
                     */
                    accountId?: number | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "News",
                     *       "serverKey": "AAAA0123456789"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApp"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "News"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such app, or you have no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such app, or you have no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
}
