CREATE TABLE answers (
    sequence bigint NOT NULL,
    evaluation integer NOT NULL,
    question integer NOT NULL,
    item text NOT NULL,
    annotator text NOT NULL,
    label integer,
    final integer NOT NULL,
    at character varying NOT NULL
);
CREATE SEQUENCE answers_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE answers_sequence_seq OWNED BY answers.sequence;
CREATE TABLE asked (
    sequence bigint NOT NULL,
    evaluation integer NOT NULL,
    item text NOT NULL,
    at character varying NOT NULL
);
CREATE SEQUENCE asked_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE asked_sequence_seq OWNED BY asked.sequence;
CREATE TABLE draws (
    evaluation integer NOT NULL,
    round integer NOT NULL,
    counter bigint NOT NULL,
    item text NOT NULL,
    probability double precision NOT NULL,
    calibration double precision NOT NULL
);
CREATE TABLE evaluations (
    id integer NOT NULL,
    name text NOT NULL,
    question integer NOT NULL,
    fingerprint character varying NOT NULL,
    items bigint NOT NULL,
    predicted bigint NOT NULL,
    metric character varying NOT NULL,
    alpha double precision NOT NULL,
    sampler character varying NOT NULL,
    settings text NOT NULL,
    seed character varying NOT NULL,
    lowshot character varying NOT NULL,
    began character varying NOT NULL,
    changes integer NOT NULL,
    about text NOT NULL
);
CREATE SEQUENCE evaluations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE evaluations_id_seq OWNED BY evaluations.id;
CREATE TABLE known (
    evaluation integer NOT NULL,
    item text NOT NULL,
    label integer NOT NULL
);
CREATE TABLE labels (
    sequence bigint NOT NULL,
    evaluation integer NOT NULL,
    question integer NOT NULL,
    item text NOT NULL,
    label integer,
    at character varying NOT NULL
);
CREATE SEQUENCE labels_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE labels_sequence_seq OWNED BY labels.sequence;
CREATE TABLE leases (
    evaluation integer NOT NULL,
    item text NOT NULL,
    annotator text NOT NULL,
    until character varying NOT NULL
);
CREATE TABLE migrations (
    number integer NOT NULL,
    at character varying NOT NULL
);
CREATE SEQUENCE migrations_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE migrations_number_seq OWNED BY migrations.number;
CREATE TABLE questions (
    id integer NOT NULL,
    text text NOT NULL
);
CREATE SEQUENCE questions_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE questions_id_seq OWNED BY questions.id;
CREATE TABLE rounds (
    evaluation integer NOT NULL,
    number integer NOT NULL,
    labels integer NOT NULL,
    asked integer NOT NULL,
    at character varying NOT NULL
);
ALTER TABLE ONLY answers ALTER COLUMN sequence SET DEFAULT nextval('answers_sequence_seq'::regclass);
ALTER TABLE ONLY asked ALTER COLUMN sequence SET DEFAULT nextval('asked_sequence_seq'::regclass);
ALTER TABLE ONLY evaluations ALTER COLUMN id SET DEFAULT nextval('evaluations_id_seq'::regclass);
ALTER TABLE ONLY labels ALTER COLUMN sequence SET DEFAULT nextval('labels_sequence_seq'::regclass);
ALTER TABLE ONLY migrations ALTER COLUMN number SET DEFAULT nextval('migrations_number_seq'::regclass);
ALTER TABLE ONLY questions ALTER COLUMN id SET DEFAULT nextval('questions_id_seq'::regclass);
INSERT INTO answers VALUES (1, 3, 2, 'bird-155.jpg', 'ann', NULL, 0, '2026-11-16T02:03:07.867+00:00');
INSERT INTO answers VALUES (2, 3, 2, 'bird-155.jpg', 'bob', NULL, 0, '2026-11-16T02:03:07.872+00:00');
INSERT INTO answers VALUES (3, 3, 2, 'bird-132.jpg', 'ann', NULL, 0, '2026-11-16T02:03:07.877+00:00');
INSERT INTO answers VALUES (4, 3, 2, 'bird-132.jpg', 'bob', NULL, 0, '2026-11-16T02:03:07.881+00:00');
INSERT INTO answers VALUES (5, 3, 2, 'bird-066.jpg', 'ann', 0, 0, '2026-11-16T02:03:07.885+00:00');
INSERT INTO answers VALUES (6, 3, 2, 'bird-066.jpg', 'bob', 0, 0, '2026-11-16T02:03:07.889+00:00');
INSERT INTO answers VALUES (7, 3, 2, 'bird-056.jpg', 'ann', 1, 0, '2026-11-16T02:03:07.892+00:00');
INSERT INTO answers VALUES (8, 3, 2, 'bird-056.jpg', 'bob', 0, 0, '2026-11-16T02:03:07.895+00:00');
INSERT INTO answers VALUES (9, 3, 2, 'bird-274.jpg', 'ann', 0, 0, '2026-11-16T02:03:07.898+00:00');
INSERT INTO answers VALUES (10, 3, 2, 'bird-274.jpg', 'bob', 1, 0, '2026-11-16T02:03:07.901+00:00');
INSERT INTO answers VALUES (11, 3, 2, 'bird-134.jpg', 'ann', 0, 0, '2026-11-16T02:03:07.904+00:00');
INSERT INTO answers VALUES (12, 3, 2, 'bird-134.jpg', 'bob', 0, 0, '2026-11-16T02:03:07.907+00:00');
INSERT INTO answers VALUES (13, 3, 2, 'bird-205.jpg', 'ann', 0, 0, '2026-11-16T02:03:07.910+00:00');
INSERT INTO answers VALUES (14, 3, 2, 'bird-205.jpg', 'bob', 0, 0, '2026-11-16T02:03:07.913+00:00');
INSERT INTO answers VALUES (15, 3, 2, 'bird-081.jpg', 'ann', 1, 0, '2026-11-16T02:03:07.916+00:00');
INSERT INTO answers VALUES (16, 3, 2, 'bird-081.jpg', 'bob', 1, 0, '2026-11-16T02:03:07.919+00:00');
INSERT INTO answers VALUES (17, 3, 2, 'bird-056.jpg', 'eve', 1, 1, '2026-11-16T02:03:07.922+00:00');
INSERT INTO asked VALUES (1, 1, 'bird-056.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (2, 1, 'bird-178.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (3, 1, 'bird-162.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (4, 1, 'bird-032.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (5, 1, 'bird-063.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (6, 1, 'bird-133.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (7, 1, 'bird-194.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (8, 1, 'bird-259.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (9, 1, 'bird-008.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (10, 1, 'bird-016.jpg', '2026-11-16T02:03:07.739+00:00');
INSERT INTO asked VALUES (11, 1, 'bird-141.jpg', '2026-11-16T02:03:07.752+00:00');
INSERT INTO asked VALUES (12, 1, 'bird-193.jpg', '2026-11-16T02:03:07.752+00:00');
INSERT INTO asked VALUES (13, 1, 'bird-015.jpg', '2026-11-16T02:03:07.752+00:00');
INSERT INTO asked VALUES (14, 1, 'bird-096.jpg', '2026-11-16T02:03:07.752+00:00');
INSERT INTO asked VALUES (15, 1, 'bird-010.jpg', '2026-11-16T02:03:07.752+00:00');
INSERT INTO asked VALUES (16, 1, 'bird-124.jpg', '2026-11-16T02:03:07.752+00:00');
INSERT INTO asked VALUES (17, 1, 'bird-104.jpg', '2026-11-16T02:03:07.752+00:00');
INSERT INTO asked VALUES (18, 1, 'bird-075.jpg', '2026-11-16T02:03:07.752+00:00');
INSERT INTO asked VALUES (19, 1, 'bird-105.jpg', '2026-11-16T02:03:07.757+00:00');
INSERT INTO asked VALUES (20, 1, 'bird-131.jpg', '2026-11-16T02:03:07.757+00:00');
INSERT INTO asked VALUES (21, 1, 'bird-242.jpg', '2026-11-16T02:03:07.757+00:00');
INSERT INTO asked VALUES (22, 1, 'bird-177.jpg', '2026-11-16T02:03:07.757+00:00');
INSERT INTO asked VALUES (23, 1, 'bird-209.jpg', '2026-11-16T02:03:07.757+00:00');
INSERT INTO asked VALUES (24, 1, 'bird-158.jpg', '2026-11-16T02:03:07.757+00:00');
INSERT INTO asked VALUES (25, 1, 'bird-006.jpg', '2026-11-16T02:03:07.757+00:00');
INSERT INTO asked VALUES (26, 1, 'bird-111.jpg', '2026-11-16T02:03:07.757+00:00');
INSERT INTO asked VALUES (27, 1, 'bird-064.jpg', '2026-11-16T02:03:07.762+00:00');
INSERT INTO asked VALUES (28, 1, 'bird-270.jpg', '2026-11-16T02:03:07.762+00:00');
INSERT INTO asked VALUES (29, 1, 'bird-232.jpg', '2026-11-16T02:03:07.762+00:00');
INSERT INTO asked VALUES (30, 1, 'bird-299.jpg', '2026-11-16T02:03:07.762+00:00');
INSERT INTO asked VALUES (31, 1, 'bird-237.jpg', '2026-11-16T02:03:07.769+00:00');
INSERT INTO asked VALUES (32, 1, 'bird-174.jpg', '2026-11-16T02:03:07.769+00:00');
INSERT INTO asked VALUES (33, 1, 'bird-168.jpg', '2026-11-16T02:03:07.769+00:00');
INSERT INTO asked VALUES (34, 1, 'bird-191.jpg', '2026-11-16T02:03:07.769+00:00');
INSERT INTO asked VALUES (35, 1, 'bird-103.jpg', '2026-11-16T02:03:07.769+00:00');
INSERT INTO asked VALUES (36, 1, 'bird-086.jpg', '2026-11-16T02:03:07.769+00:00');
INSERT INTO asked VALUES (37, 1, 'bird-087.jpg', '2026-11-16T02:03:07.769+00:00');
INSERT INTO asked VALUES (38, 1, 'bird-137.jpg', '2026-11-16T02:03:07.769+00:00');
INSERT INTO asked VALUES (39, 1, 'bird-201.jpg', '2026-11-16T02:03:07.775+00:00');
INSERT INTO asked VALUES (40, 1, 'bird-241.jpg', '2026-11-16T02:03:07.775+00:00');
INSERT INTO asked VALUES (41, 1, 'bird-167.jpg', '2026-11-16T02:03:07.775+00:00');
INSERT INTO asked VALUES (42, 1, 'bird-291.jpg', '2026-11-16T02:03:07.775+00:00');
INSERT INTO asked VALUES (43, 1, 'bird-234.jpg', '2026-11-16T02:03:07.775+00:00');
INSERT INTO asked VALUES (44, 1, 'bird-164.jpg', '2026-11-16T02:03:07.775+00:00');
INSERT INTO asked VALUES (45, 2, 'bird-201.jpg', '2026-11-16T02:03:07.814+00:00');
INSERT INTO asked VALUES (46, 2, 'bird-227.jpg', '2026-11-16T02:03:07.814+00:00');
INSERT INTO asked VALUES (47, 2, 'bird-128.jpg', '2026-11-16T02:03:07.814+00:00');
INSERT INTO asked VALUES (48, 2, 'bird-144.jpg', '2026-11-16T02:03:07.814+00:00');
INSERT INTO asked VALUES (49, 2, 'bird-160.jpg', '2026-11-16T02:03:07.814+00:00');
INSERT INTO asked VALUES (50, 2, 'bird-127.jpg', '2026-11-16T02:03:07.814+00:00');
INSERT INTO asked VALUES (51, 2, 'bird-112.jpg', '2026-11-16T02:03:07.814+00:00');
INSERT INTO asked VALUES (52, 2, 'bird-154.jpg', '2026-11-16T02:03:07.821+00:00');
INSERT INTO asked VALUES (53, 2, 'bird-031.jpg', '2026-11-16T02:03:07.821+00:00');
INSERT INTO asked VALUES (54, 2, 'bird-021.jpg', '2026-11-16T02:03:07.821+00:00');
INSERT INTO asked VALUES (55, 3, 'bird-155.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (56, 3, 'bird-132.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (57, 3, 'bird-066.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (58, 3, 'bird-056.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (59, 3, 'bird-274.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (60, 3, 'bird-134.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (61, 3, 'bird-205.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (62, 3, 'bird-081.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (63, 3, 'bird-069.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO asked VALUES (64, 3, 'bird-140.jpg', '2026-11-16T02:03:07.854+00:00');
INSERT INTO draws VALUES (1, 1, 0, 'bird-056.jpg', 0.026646568617754798, 0.99);
INSERT INTO draws VALUES (1, 1, 1, 'bird-178.jpg', 0.026646568617754798, 0.99);
INSERT INTO draws VALUES (1, 1, 2, 'bird-162.jpg', 0.026646568617754798, 0.99);
INSERT INTO draws VALUES (1, 1, 3, 'bird-032.jpg', 0.026646568617754798, 0.99);
INSERT INTO draws VALUES (1, 1, 4, 'bird-063.jpg', 0.0013373529431157055, 0.01);
INSERT INTO draws VALUES (1, 1, 5, 'bird-133.jpg', 0.0013373529431157055, 0.01);
INSERT INTO draws VALUES (1, 1, 6, 'bird-194.jpg', 0.026646568617754798, 0.99);
INSERT INTO draws VALUES (1, 1, 7, 'bird-259.jpg', 0.026646568617754798, 0.99);
INSERT INTO draws VALUES (1, 1, 8, 'bird-008.jpg', 0.026646568617754798, 0.99);
INSERT INTO draws VALUES (1, 1, 9, 'bird-016.jpg', 0.026646568617754798, 0.99);
INSERT INTO draws VALUES (1, 1, 10, 'bird-110.jpg', 0.0013373529431157055, 0.01);
INSERT INTO draws VALUES (1, 2, 0, 'bird-141.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 1, 'bird-193.jpg', 0.00787287505215951, 0.08967479674796745);
INSERT INTO draws VALUES (1, 2, 2, 'bird-015.jpg', 0.011793241834692736, 0.20121951219512194);
INSERT INTO draws VALUES (1, 2, 3, 'bird-096.jpg', 0.011070658024860656, 0.17731707317073167);
INSERT INTO draws VALUES (1, 2, 4, 'bird-010.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 5, 'bird-124.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 6, 'bird-104.jpg', 0.01002653266484637, 0.1454471544715447);
INSERT INTO draws VALUES (1, 2, 7, 'bird-075.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 8, 'bird-105.jpg', 0.0038070843330831636, 0.99);
INSERT INTO draws VALUES (1, 2, 9, 'bird-131.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 10, 'bird-242.jpg', 0.011557401308923292, 0.1932520325203252);
INSERT INTO draws VALUES (1, 2, 11, 'bird-177.jpg', 0.01029749412407098, 0.15341463414634143);
INSERT INTO draws VALUES (1, 2, 12, 'bird-242.jpg', 0.011557401308923292, 0.1932520325203252);
INSERT INTO draws VALUES (1, 2, 13, 'bird-209.jpg', 0.004233903392680911, 0.025934959349593494);
INSERT INTO draws VALUES (1, 2, 14, 'bird-158.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 15, 'bird-006.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 16, 'bird-177.jpg', 0.01029749412407098, 0.15341463414634143);
INSERT INTO draws VALUES (1, 2, 17, 'bird-111.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 18, 'bird-064.jpg', 0.014514541549774593, 0.3047967479674796);
INSERT INTO draws VALUES (1, 2, 19, 'bird-270.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 20, 'bird-193.jpg', 0.00787287505215951, 0.08967479674796745);
INSERT INTO draws VALUES (1, 2, 21, 'bird-232.jpg', 0.0026290458395518243, 0.01);
INSERT INTO draws VALUES (1, 2, 22, 'bird-299.jpg', 0.013532803723541832, 0.26495934959349593);
INSERT INTO draws VALUES (1, 2, 23, 'bird-047.jpg', 0.007139195029891359, 0.07373983739837398);
INSERT INTO draws VALUES (1, 3, 0, 'bird-237.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 1, 'bird-174.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 2, 'bird-168.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 3, 'bird-191.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 4, 'bird-103.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 5, 'bird-086.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 6, 'bird-087.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 7, 'bird-137.jpg', 0.021047959689358783, 0.6633333333333333);
INSERT INTO draws VALUES (1, 3, 8, 'bird-201.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 9, 'bird-241.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 10, 'bird-167.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 11, 'bird-291.jpg', 0.021047959689358783, 0.6633333333333333);
INSERT INTO draws VALUES (1, 3, 12, 'bird-234.jpg', 0.013050110310088995, 0.255);
INSERT INTO draws VALUES (1, 3, 13, 'bird-164.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (1, 3, 14, 'bird-219.jpg', 0.0025843069318218373, 0.01);
INSERT INTO draws VALUES (2, 1, 0, 'bird-201.jpg', 0.038461538461538464, 0.13990281842973284);
INSERT INTO draws VALUES (2, 1, 1, 'bird-227.jpg', 1, 0.8752932081308588);
INSERT INTO draws VALUES (2, 1, 2, 'bird-128.jpg', 0.04, 0.13990281842973284);
INSERT INTO draws VALUES (2, 1, 3, 'bird-144.jpg', 0.041666666666666664, 0.13990281842973284);
INSERT INTO draws VALUES (2, 1, 4, 'bird-160.jpg', 0.043478260869565216, 0.13990281842973284);
INSERT INTO draws VALUES (2, 1, 5, 'bird-127.jpg', 0.022222222222222223, 0.07673312656346547);
INSERT INTO draws VALUES (2, 1, 6, 'bird-112.jpg', 0.045454545454545456, 0.13990281842973284);
INSERT INTO draws VALUES (2, 1, 7, 'bird-154.jpg', 1, 0.8374109718171403);
INSERT INTO draws VALUES (2, 1, 8, 'bird-031.jpg', 0.047619047619047616, 0.13990281842973284);
INSERT INTO draws VALUES (2, 1, 9, 'bird-021.jpg', 0.022727272727272728, 0.07673312656346547);
INSERT INTO draws VALUES (2, 1, 10, 'bird-055.jpg', 0.05, 0.13990281842973284);
INSERT INTO draws VALUES (3, 1, 0, 'bird-155.jpg', 0.0033333333333333335, 0);
INSERT INTO draws VALUES (3, 1, 1, 'bird-132.jpg', 0.0033333333333333335, 0);
INSERT INTO draws VALUES (3, 1, 2, 'bird-066.jpg', 0.0033333333333333335, 0);
INSERT INTO draws VALUES (3, 1, 3, 'bird-056.jpg', 0.0033333333333333335, 1);
INSERT INTO draws VALUES (3, 1, 4, 'bird-274.jpg', 0.0033333333333333335, 0);
INSERT INTO draws VALUES (3, 1, 5, 'bird-134.jpg', 0.0033333333333333335, 0);
INSERT INTO draws VALUES (3, 1, 6, 'bird-205.jpg', 0.0033333333333333335, 0);
INSERT INTO draws VALUES (3, 1, 7, 'bird-081.jpg', 0.0033333333333333335, 1);
INSERT INTO draws VALUES (3, 1, 8, 'bird-069.jpg', 0.0033333333333333335, 0);
INSERT INTO draws VALUES (3, 1, 9, 'bird-140.jpg', 0.0033333333333333335, 0);
INSERT INTO draws VALUES (3, 1, 10, 'bird-043.jpg', 0.0033333333333333335, 0);
INSERT INTO evaluations VALUES (2, 'again', 1, 'c8c58da18352c1a1886de3d1bcacafcb', 300, 30, 'recall', 0, 'curve', '{"anytime": false, "background": 0.0, "insurance": 0.05, "curves": 400}', '5', '0.1.0', '2026-11-16T02:03:07.793+00:00', 4, '{}');
INSERT INTO evaluations VALUES (1, 'plain', 1, 'c8c58da18352c1a1886de3d1bcacafcb', 300, 30, 'f1', 0.5, 'acis', '{"first": 10, "growth": 2.0, "top_k": 3.0, "epsilon": 0.01, "prior_rounds": 3, "calibration": "isotonic", "reuse": "stratum", "average": null, "partial": true, "combine": "independent", "clip": [0.05, 0.95], "defensive": 0.0}', '3', '0.1.0', '2026-11-16T02:03:07.723+00:00', 15, '{"by": ["me", 1]}');
INSERT INTO evaluations VALUES (3, 'people', 2, 'c8c58da18352c1a1886de3d1bcacafcb', 300, 30, 'f1', 0.5, 'rand', '{}', '7', '0.1.0', '2026-11-16T02:03:07.838+00:00', 19, '{}');
INSERT INTO known VALUES (2, 'bird-178.jpg', 1);
INSERT INTO known VALUES (2, 'bird-162.jpg', 0);
INSERT INTO known VALUES (2, 'bird-032.jpg', 1);
INSERT INTO known VALUES (2, 'bird-063.jpg', 0);
INSERT INTO known VALUES (2, 'bird-133.jpg', 0);
INSERT INTO known VALUES (2, 'bird-194.jpg', 1);
INSERT INTO known VALUES (2, 'bird-259.jpg', 1);
INSERT INTO known VALUES (2, 'bird-008.jpg', 1);
INSERT INTO known VALUES (2, 'bird-016.jpg', 1);
INSERT INTO known VALUES (2, 'bird-056.jpg', 1);
INSERT INTO known VALUES (2, 'bird-141.jpg', 0);
INSERT INTO known VALUES (2, 'bird-193.jpg', 0);
INSERT INTO known VALUES (2, 'bird-015.jpg', 0);
INSERT INTO known VALUES (2, 'bird-096.jpg', 0);
INSERT INTO known VALUES (2, 'bird-010.jpg', 0);
INSERT INTO known VALUES (2, 'bird-124.jpg', 0);
INSERT INTO known VALUES (2, 'bird-104.jpg', 0);
INSERT INTO known VALUES (2, 'bird-075.jpg', 0);
INSERT INTO known VALUES (2, 'bird-105.jpg', 1);
INSERT INTO known VALUES (2, 'bird-131.jpg', 0);
INSERT INTO known VALUES (2, 'bird-242.jpg', 0);
INSERT INTO known VALUES (2, 'bird-177.jpg', 0);
INSERT INTO known VALUES (2, 'bird-209.jpg', 0);
INSERT INTO known VALUES (2, 'bird-158.jpg', 0);
INSERT INTO known VALUES (2, 'bird-006.jpg', 0);
INSERT INTO known VALUES (2, 'bird-111.jpg', 0);
INSERT INTO known VALUES (2, 'bird-064.jpg', 1);
INSERT INTO known VALUES (2, 'bird-270.jpg', 0);
INSERT INTO known VALUES (2, 'bird-232.jpg', 0);
INSERT INTO known VALUES (2, 'bird-299.jpg', 1);
INSERT INTO known VALUES (2, 'bird-237.jpg', 0);
INSERT INTO known VALUES (2, 'bird-174.jpg', 0);
INSERT INTO known VALUES (2, 'bird-168.jpg', 0);
INSERT INTO known VALUES (2, 'bird-191.jpg', 0);
INSERT INTO known VALUES (2, 'bird-103.jpg', 0);
INSERT INTO known VALUES (2, 'bird-086.jpg', 0);
INSERT INTO known VALUES (2, 'bird-087.jpg', 0);
INSERT INTO known VALUES (2, 'bird-137.jpg', 1);
INSERT INTO known VALUES (2, 'bird-167.jpg', 0);
INSERT INTO known VALUES (2, 'bird-291.jpg', 0);
INSERT INTO known VALUES (2, 'bird-234.jpg', 1);
INSERT INTO known VALUES (2, 'bird-164.jpg', 0);
INSERT INTO labels VALUES (1, 1, 1, 'bird-178.jpg', 1, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (2, 1, 1, 'bird-162.jpg', 0, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (3, 1, 1, 'bird-032.jpg', 1, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (4, 1, 1, 'bird-063.jpg', 0, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (5, 1, 1, 'bird-133.jpg', 0, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (6, 1, 1, 'bird-194.jpg', 1, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (7, 1, 1, 'bird-259.jpg', 1, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (8, 1, 1, 'bird-008.jpg', 1, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (9, 1, 1, 'bird-016.jpg', 1, '2026-11-16T02:03:07.742+00:00');
INSERT INTO labels VALUES (10, 1, 1, 'bird-162.jpg', 1, '2026-11-16T02:03:07.744+00:00');
INSERT INTO labels VALUES (11, 1, 1, 'bird-056.jpg', 1, '2026-11-16T02:03:07.747+00:00');
INSERT INTO labels VALUES (12, 1, 1, 'bird-141.jpg', 0, '2026-11-16T02:03:07.754+00:00');
INSERT INTO labels VALUES (13, 1, 1, 'bird-193.jpg', 0, '2026-11-16T02:03:07.754+00:00');
INSERT INTO labels VALUES (14, 1, 1, 'bird-015.jpg', 0, '2026-11-16T02:03:07.754+00:00');
INSERT INTO labels VALUES (15, 1, 1, 'bird-096.jpg', 0, '2026-11-16T02:03:07.754+00:00');
INSERT INTO labels VALUES (16, 1, 1, 'bird-010.jpg', 0, '2026-11-16T02:03:07.754+00:00');
INSERT INTO labels VALUES (17, 1, 1, 'bird-124.jpg', 0, '2026-11-16T02:03:07.754+00:00');
INSERT INTO labels VALUES (18, 1, 1, 'bird-104.jpg', 0, '2026-11-16T02:03:07.754+00:00');
INSERT INTO labels VALUES (19, 1, 1, 'bird-075.jpg', 0, '2026-11-16T02:03:07.754+00:00');
INSERT INTO labels VALUES (20, 1, 1, 'bird-105.jpg', 1, '2026-11-16T02:03:07.759+00:00');
INSERT INTO labels VALUES (21, 1, 1, 'bird-131.jpg', 0, '2026-11-16T02:03:07.759+00:00');
INSERT INTO labels VALUES (22, 1, 1, 'bird-242.jpg', 0, '2026-11-16T02:03:07.759+00:00');
INSERT INTO labels VALUES (23, 1, 1, 'bird-177.jpg', 0, '2026-11-16T02:03:07.759+00:00');
INSERT INTO labels VALUES (24, 1, 1, 'bird-209.jpg', 0, '2026-11-16T02:03:07.759+00:00');
INSERT INTO labels VALUES (25, 1, 1, 'bird-158.jpg', 0, '2026-11-16T02:03:07.759+00:00');
INSERT INTO labels VALUES (26, 1, 1, 'bird-006.jpg', 0, '2026-11-16T02:03:07.759+00:00');
INSERT INTO labels VALUES (27, 1, 1, 'bird-111.jpg', 0, '2026-11-16T02:03:07.759+00:00');
INSERT INTO labels VALUES (28, 1, 1, 'bird-064.jpg', 1, '2026-11-16T02:03:07.763+00:00');
INSERT INTO labels VALUES (29, 1, 1, 'bird-270.jpg', 0, '2026-11-16T02:03:07.763+00:00');
INSERT INTO labels VALUES (30, 1, 1, 'bird-232.jpg', 0, '2026-11-16T02:03:07.763+00:00');
INSERT INTO labels VALUES (31, 1, 1, 'bird-299.jpg', 1, '2026-11-16T02:03:07.763+00:00');
INSERT INTO labels VALUES (32, 1, 1, 'bird-237.jpg', 0, '2026-11-16T02:03:07.771+00:00');
INSERT INTO labels VALUES (33, 1, 1, 'bird-174.jpg', 0, '2026-11-16T02:03:07.771+00:00');
INSERT INTO labels VALUES (34, 1, 1, 'bird-168.jpg', 0, '2026-11-16T02:03:07.771+00:00');
INSERT INTO labels VALUES (35, 1, 1, 'bird-191.jpg', 0, '2026-11-16T02:03:07.771+00:00');
INSERT INTO labels VALUES (36, 1, 1, 'bird-103.jpg', 0, '2026-11-16T02:03:07.771+00:00');
INSERT INTO labels VALUES (37, 1, 1, 'bird-086.jpg', 0, '2026-11-16T02:03:07.771+00:00');
INSERT INTO labels VALUES (38, 1, 1, 'bird-087.jpg', 0, '2026-11-16T02:03:07.771+00:00');
INSERT INTO labels VALUES (39, 1, 1, 'bird-137.jpg', 1, '2026-11-16T02:03:07.771+00:00');
INSERT INTO labels VALUES (40, 1, 1, 'bird-162.jpg', 0, '2026-11-16T02:03:07.772+00:00');
INSERT INTO labels VALUES (41, 1, 1, 'bird-167.jpg', 0, '2026-11-16T02:03:07.777+00:00');
INSERT INTO labels VALUES (42, 1, 1, 'bird-291.jpg', 0, '2026-11-16T02:03:07.777+00:00');
INSERT INTO labels VALUES (43, 1, 1, 'bird-234.jpg', 1, '2026-11-16T02:03:07.777+00:00');
INSERT INTO labels VALUES (44, 1, 1, 'bird-164.jpg', 0, '2026-11-16T02:03:07.777+00:00');
INSERT INTO labels VALUES (45, 2, 1, 'bird-201.jpg', 0, '2026-11-16T02:03:07.816+00:00');
INSERT INTO labels VALUES (46, 2, 1, 'bird-227.jpg', 1, '2026-11-16T02:03:07.816+00:00');
INSERT INTO labels VALUES (47, 2, 1, 'bird-128.jpg', 0, '2026-11-16T02:03:07.816+00:00');
INSERT INTO labels VALUES (48, 2, 1, 'bird-144.jpg', 0, '2026-11-16T02:03:07.816+00:00');
INSERT INTO labels VALUES (49, 2, 1, 'bird-160.jpg', 0, '2026-11-16T02:03:07.816+00:00');
INSERT INTO labels VALUES (50, 2, 1, 'bird-127.jpg', 0, '2026-11-16T02:03:07.816+00:00');
INSERT INTO labels VALUES (51, 2, 1, 'bird-112.jpg', 0, '2026-11-16T02:03:07.816+00:00');
INSERT INTO labels VALUES (52, 2, 1, 'bird-154.jpg', 1, '2026-11-16T02:03:07.822+00:00');
INSERT INTO labels VALUES (53, 2, 1, 'bird-031.jpg', 0, '2026-11-16T02:03:07.822+00:00');
INSERT INTO labels VALUES (54, 2, 1, 'bird-021.jpg', 0, '2026-11-16T02:03:07.822+00:00');
INSERT INTO labels VALUES (55, 3, 2, 'bird-155.jpg', NULL, '2026-11-16T02:03:07.873+00:00');
INSERT INTO labels VALUES (56, 3, 2, 'bird-132.jpg', NULL, '2026-11-16T02:03:07.882+00:00');
INSERT INTO labels VALUES (57, 3, 2, 'bird-066.jpg', 0, '2026-11-16T02:03:07.890+00:00');
INSERT INTO labels VALUES (58, 3, 2, 'bird-134.jpg', 0, '2026-11-16T02:03:07.908+00:00');
INSERT INTO labels VALUES (59, 3, 2, 'bird-205.jpg', 0, '2026-11-16T02:03:07.914+00:00');
INSERT INTO labels VALUES (60, 3, 2, 'bird-081.jpg', 1, '2026-11-16T02:03:07.920+00:00');
INSERT INTO labels VALUES (61, 3, 2, 'bird-056.jpg', 1, '2026-11-16T02:03:07.923+00:00');
INSERT INTO leases VALUES (3, 'bird-069.jpg', 'ann', '2058-07-25T03:49:47.858+00:00');
INSERT INTO leases VALUES (3, 'bird-140.jpg', 'ann', '2058-07-25T03:49:47.858+00:00');
INSERT INTO leases VALUES (3, 'bird-069.jpg', 'bob', '2058-07-25T03:49:47.865+00:00');
INSERT INTO leases VALUES (3, 'bird-140.jpg', 'bob', '2058-07-25T03:49:47.865+00:00');
INSERT INTO migrations VALUES (1, '2026-11-16T02:03:07.714+00:00');
INSERT INTO questions VALUES (1, 'Is it a bird?');
INSERT INTO questions VALUES (2, 'people');
INSERT INTO rounds VALUES (1, 1, 0, 10, '2026-11-16T02:03:07.736+00:00');
INSERT INTO rounds VALUES (1, 2, 11, 20, '2026-11-16T02:03:07.751+00:00');
INSERT INTO rounds VALUES (1, 3, 31, 14, '2026-11-16T02:03:07.767+00:00');
INSERT INTO rounds VALUES (2, 1, 0, 10, '2026-11-16T02:03:07.810+00:00');
INSERT INTO rounds VALUES (3, 1, 0, 10, '2026-11-16T02:03:07.851+00:00');
SELECT pg_catalog.setval('answers_sequence_seq', 17, true);
SELECT pg_catalog.setval('asked_sequence_seq', 64, true);
SELECT pg_catalog.setval('evaluations_id_seq', 3, true);
SELECT pg_catalog.setval('labels_sequence_seq', 61, true);
SELECT pg_catalog.setval('migrations_number_seq', 1, false);
SELECT pg_catalog.setval('questions_id_seq', 2, true);
ALTER TABLE ONLY answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY asked
    ADD CONSTRAINT asked_evaluation_item_key UNIQUE (evaluation, item);
ALTER TABLE ONLY asked
    ADD CONSTRAINT asked_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY draws
    ADD CONSTRAINT draws_evaluation_round_counter_key UNIQUE (evaluation, round, counter);
ALTER TABLE ONLY evaluations
    ADD CONSTRAINT evaluations_name_key UNIQUE (name);
ALTER TABLE ONLY evaluations
    ADD CONSTRAINT evaluations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY known
    ADD CONSTRAINT known_evaluation_item_key UNIQUE (evaluation, item);
ALTER TABLE ONLY labels
    ADD CONSTRAINT labels_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY leases
    ADD CONSTRAINT leases_evaluation_item_annotator_key UNIQUE (evaluation, item, annotator);
ALTER TABLE ONLY migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);
ALTER TABLE ONLY questions
    ADD CONSTRAINT questions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY questions
    ADD CONSTRAINT questions_text_key UNIQUE (text);
ALTER TABLE ONLY rounds
    ADD CONSTRAINT rounds_evaluation_number_key UNIQUE (evaluation, number);
CREATE INDEX answers_of ON answers USING btree (evaluation, item);
CREATE INDEX labels_of ON labels USING btree (evaluation, sequence);
ALTER TABLE ONLY answers
    ADD CONSTRAINT answers_evaluation_fkey FOREIGN KEY (evaluation) REFERENCES evaluations(id);
ALTER TABLE ONLY answers
    ADD CONSTRAINT answers_question_fkey FOREIGN KEY (question) REFERENCES questions(id);
ALTER TABLE ONLY asked
    ADD CONSTRAINT asked_evaluation_fkey FOREIGN KEY (evaluation) REFERENCES evaluations(id);
ALTER TABLE ONLY draws
    ADD CONSTRAINT draws_evaluation_fkey FOREIGN KEY (evaluation) REFERENCES evaluations(id);
ALTER TABLE ONLY evaluations
    ADD CONSTRAINT evaluations_question_fkey FOREIGN KEY (question) REFERENCES questions(id);
ALTER TABLE ONLY known
    ADD CONSTRAINT known_evaluation_fkey FOREIGN KEY (evaluation) REFERENCES evaluations(id);
ALTER TABLE ONLY labels
    ADD CONSTRAINT labels_evaluation_fkey FOREIGN KEY (evaluation) REFERENCES evaluations(id);
ALTER TABLE ONLY labels
    ADD CONSTRAINT labels_question_fkey FOREIGN KEY (question) REFERENCES questions(id);
ALTER TABLE ONLY leases
    ADD CONSTRAINT leases_evaluation_fkey FOREIGN KEY (evaluation) REFERENCES evaluations(id);
ALTER TABLE ONLY rounds
    ADD CONSTRAINT rounds_evaluation_fkey FOREIGN KEY (evaluation) REFERENCES evaluations(id);
