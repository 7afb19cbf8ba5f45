//! Valid files of our own writing, and pieces that spoil them.

/// Files of each format that a reader takes.
pub(super) const SAMPLES: &[&str] = &[
    "id,original,generation,processed_generation,original_id,system,rating_1,rating_2,rating_1_z_score,rating_2_z_score\n\
     0,The vessel sank.,the boat sank,The boat sank.,7,A,90,80.5,0.5,0.1\n\
     1,The vessel sank.,it sank,It sank.,7,B,10,,-0.5,\n",
    "original_id,original,generation,system,sentence_type,rating_1,rating_1_zscore\n\
     7,The vessel sank.,The boat sank.,A,Paraphrases,90,0.5\n\
     7,The vessel sank.,\"It sank.\nReally.\",B,Splittings,10,-0.5\n",
    "WorkerId,Input.original,Input.simplified,Input.system,Answer.adequacy,Answer.fluency\n\
     w1,The vessel sank.,The boat sank.,A,100,90\n\
     w2,The vessel sank.,The boat sank.,A,80,70\n",
    "WorkerId,Input.original,Input.simplified,Input.system,Answer.simplicity\n\
     w1,The vessel sank.,The boat sank.,A,-1\n\
     w2,The vessel sank.,The boat sank.,A,2\n",
    "original,simplification,original_sentence_id,aspect,worker_id,rating\n\
     The vessel sank.,The boat sank.,7,fluency,w1,90\n\
     The vessel sank.,The boat sank.,7,meaning,w2,80\n",
    "source;output;system;source_id;reference;rater;rating;dimension;category;kind\n\
     The vessel sank.;The boat sank.;A;7;It sank.;w1;4;fluency;split;human\n",
    "source\treference\nThe vessel sank.\tIt sank.\n",
    "{\"source\":\"The vessel sank.\",\"source_id\":7,\"references\":[\"It sank.\"],\"output\":\"The boat sank.\",\"system\":\"A\",\"kind\":\"machine\",\"category\":\"split\",\"ratings\":[{\"rater\":\"w\",\"value\":87,\"z\":0.41,\"dimension\":\"overall\",\"scale\":{\"low\":0,\"high\":100}}]}\n\
     {\"source\":\"It rained.\",\"output\":\"Rain fell.\",\"rating\":3,\"rater\":\"w\"}\n",
    "original_id,system,slot,rater\n7,A,1,Ada\n7,B,rating_2,Grace\n",
    "output_id,source_id,source,system,output,lens,questeval,note\n\
     o1,7,The vessel sank.,A,The boat sank.,61.5,0.4,good\n\
     ,7,The vessel sank.,B,It sank.,NaN,0.1,\n",
    "{\"source\":\"The vessel sank.\",\"system\":\"A\",\"lens\":61.5,\"signatures\":{\"lens\":\"l\"}}\n\
     {\"source_id\":7,\"output\":\"It sank.\",\"lens\":null,\"sari\":40}\n",
    "The vessel sank.\tIt sank.\nIt rained.\tRain fell.\n",
    "passage,title,purpose,condition,text,question,question_text,a,b,c,d,critical,distractor,participant,answer,order,active_ms\n\
     p1,Ferries,main,original,The vessel sank.,q1,What sank?,The vessel,A plane,A mill,Nothing,0-10,11-15,u1,A,CADB,1200\n\
     p1,,,simplified,The boat sank.,q1,,,,,,,,u2,unanswerable,,\n",
    "{\"passage\":\"p1\",\"condition\":\"original\",\"text\":\"The vessel sank.\",\"question\":\"q1\",\"question_text\":\"What sank?\",\"a\":\"The vessel\",\"b\":\"A plane\",\"c\":\"A mill\",\"d\":\"Nothing\",\"critical\":\"0-10\",\"answer\":\"The vessel\",\"active_ms\":900}\n",
    "{\"data\":[{\"title\":\"Ferries\",\"paragraphs\":[{\"Adv\":{\"context\":\"The vessel sank.\",\"a_spans\":[[0,1]],\"d_spans\":[[2,2]]},\"Ele\":{\"context\":\"It sank.\"},\"qas\":[{\"question\":\"What sank?\",\"answers\":[\"The vessel\",\"A plane\",\"A mill\",\"Nothing\"]}]}]}]}",
    "article_id,para_id,title,paragraph,Model,question_1,question_2,question_3,answer_1,answer_2,answer_3,all_options_1,all_options_2,all_options_3\n\
     26,1,Ferries,The vessel sank.,MUSS,What?,Who?,When?,a,g,l,\"['a', 'b', 'c', 'd']\",\"['e', 'f', 'g', 'h']\",\"['i', 'j', 'k', 'l']\"\n",
    "source_id,system_a,system_b,outcome,rater,dimension\n\
     7,A1,B1,a,Ada,fluency\n\
     7,B1,C1,tie,Ada,fluency\n\
     8,A1,C1,C1,Grace,\n",
    "source,rater,system_1,system_2,system_3,system_4,best,worst\n\
     The vessel sank.,Ada,A1,B1,C1,D1,B1,D1\n\
     The vessel sank.,Grace,A1,B1,C1,,A1,C1\n",
    "{\"source\":\"The vessel sank.\",\"rater\":\"Ada\",\"systems\":[\"A1\",\"B1\",\"C1\"],\"best\":\"A1\",\"worst\":\"C1\"}\n\
     {\"source_id\":7,\"rater\":\"Ada\",\"system_a\":\"A1\",\"system_b\":\"B1\",\"outcome\":\"same\"}\n",
];

/// Cells and pieces of tables that break careless readers.
pub(super) const HOSTILE_CELLS: &[&str] = &[
    "",
    " ",
    "\"",
    "\"\"",
    "\"a",
    "a\"b\"",
    "\"a\nb\"",
    "\"a,b\"",
    ",",
    ";",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "e\u{301}",
    "😀",
    "-0",
    "1e309",
    "-1e309",
    "nan",
    "inf",
    "None",
    "0x10",
    "1,5",
    "９",
    "+1",
    "1e-400",
    "99999999999999999999",
    "=1+1",
    "4-2",
    "0-99999999999",
    "12-",
    "CADB",
    "ABCDE",
    "unanswerable",
    "['a'",
    "['a', \"b\", '\\x41', '\\u12']",
    "[",
    "check",
    "rating_1",
    "rating_0",
    "source",
    "id",
    "split",
    "human",
    "Splittings",
    "tie",
    "A1",
    "system_b",
];

/// Values and lines of JSON that break careless readers.
pub(super) const HOSTILE_JSON: &[&str] = &[
    "",
    "null",
    "true",
    "0",
    "-0",
    "1e309",
    "1e-400",
    "-1.5",
    "99999999999999999999",
    "\"\"",
    "\" \"",
    "\"a\\u0000b\"",
    "\"\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "\"4\"",
    "\"NaN\"",
    "\"A\"",
    "\"0-3\"",
    "[]",
    "[[]]",
    "[null]",
    "[1,\"a\"]",
    "{}",
    "{\"value\":1}",
    "{\"value\":[1],\"rater\":{}}",
    "[{\"value\":5,\"rater\":\"w\",\"scale\":{\"low\":9,\"high\":1}}]",
    "[{\"value\":\"5\",\"rater\":\"w\",\"z\":null}]",
    "{\"a\":1,\"a\":2}",
    "[{\"title\":1}]",
    "{",
    "]",
    "\"",
    "'",
    "\\",
    "//",
    "NaN",
    "\u{feff}",
];
